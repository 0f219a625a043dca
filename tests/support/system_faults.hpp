// System calls that fail on request. Test binaries that list system_faults.cpp are linked with
// --wrap, so that the library's own calls come by here; `Faults` says which of them fails.
#pragma once

namespace opencd::test {

/// While it lives, the `nth` of the watched calls (fallocate, write, fsync, close, rename) fails with
/// `error`; the others work, and `write` takes at most `most_written` bytes at a time.
class Faults {
 public:
  Faults(int nth, int error, unsigned long most_written = ~0ul);
  Faults(Faults&&) = delete;
  ~Faults();

  /// Whether that many calls were made.
  bool fired() const;
  /// The call that failed: "fsync"; empty if none did.
  const char* failed_call() const;
};

}  // namespace opencd::test
