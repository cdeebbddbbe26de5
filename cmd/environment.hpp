// What the environment says of all tools: PE_MEMORY and PE_WAIT.
#pragma once

namespace pe::cmd {

/// Allows the process what they say, which .github/SECURITY.md describes. Throws UsageError.
void obey_environment();

}  // namespace pe::cmd
