// The program of one tool, which the build names in PE_TOOL.
#include "tools.hpp"

int main(int argc, char** argv) { return pe::cmd::PE_TOOL(argc, argv); }
