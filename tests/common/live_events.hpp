#pragma once

#include <cstdint>
#include <string_view>

namespace backoff_actor::test {

/// Counts the events of a stream of the live page, of which each ends with an empty line.
class LiveEvents {
public:
  /// Takes bytes as they come, and calls `note` at the end of each event.
  template <class Note>
  void take(std::string_view bytes, Note note) {
    for (const auto byte : bytes) {
      if (byte == '\n' && is_line_over_) {
        // The first empty line ends what says that the stream has begun, which is no event.
        if (has_begun_)
          note();
        has_begun_ = true;
      }
      is_line_over_ = byte == '\n' && !is_line_over_;
    }
  }

private:
  bool is_line_over_ = false;
  bool has_begun_ = false;
};

} // namespace backoff_actor::test
