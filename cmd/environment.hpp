// What the environment says of all tools: PE_MEMORY and PE_WAIT.
#pragma once

#include <string>
#include <vector>

namespace pe::cmd {

/// Allows the process what they say, which .github/SECURITY.md describes. Throws UsageError.
void obey_environment();

/// Allows as much as working on the files takes that stand on the disk, 16 times their bytes there,
/// where that is more and PE_MEMORY says nothing: numbers of 16 bits are doubles in memory, and
/// what is made of them as well. Holes, and what is packed, are no bytes on a disk.
void allow_for(const std::vector<std::string>& specs);

}  // namespace pe::cmd
