// A file that is being made beside its target, which nothing that ends the process leaves behind.
#pragma once

#include <string>

namespace pe {

/// Makes SIGINT, SIGTERM, SIGHUP and SIGQUIT remove unfinished files, and call `first` before,
/// before they end the process as they would have. Tools call it once, before the first thread
/// starts; ignored signals stay ignored.
void remove_temporaries_on_signals(void (*first)() noexcept = nullptr);

/// Removes this process's unfinished files; for the moment before it ends, and for handlers of
/// signals.
void remove_temporaries();

namespace io {

/// Without a name where the file system can: then the kernel removes it, whatever ends the process.
/// Otherwise under a name beside the target's, ".NAME.pe-tmp", which is locked as long
/// as its owner lives: whoever writes the same target next removes one that nobody holds. Failures
/// throw std::system_error.
class Unfinished {
 public:
  /// `seen`: under a name from the start, for others who write to it, too.
  explicit Unfinished(const std::string& target, bool seen = false);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  int descriptor() const { return descriptor_; }
  /// Empty where it has none.
  const std::string& name() const { return name_; }

  /// Gives it the target's name, at once and in place of what had it; with `keep` EEXIST where
  /// something has it.
  void publish(bool keep = false);

 private:
  bool open_nameless();
  void open_named();
  void link_beside(bool keep);
  void rename_beside(bool keep);
  std::string sibling(int attempt) const;

  std::string target_;
  std::string name_;  // empty: none
  int descriptor_ = -1;
  int slot_ = -1;  // where the signal handler finds the name
};

}  // namespace io
}  // namespace pe
