// The tools, each as a function: what main() of its program calls, and a program of several calls.
#pragma once

namespace pe::cmd {

int pe_gen(int argc, char** argv);
int pe_apply(int argc, char** argv);
int pe_verify(int argc, char** argv);
int pe_analyze(int argc, char** argv);

}  // namespace pe::cmd
