#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/sinks/internal/cell.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace backoff_actor::detail {

// Why a sender last failed; only a sender that has failed has these.
struct CauseWords {
  static constexpr std::size_t most_text = 160; // bytes
  enum : std::size_t {
    counters = 0,
    number = counters, // of its sender's name
    version,           // odd while the words below change
    at,                // an instant
    text_size,
    text,
    size = text + most_text / sizeof(std::uint64_t),
  };
};

// A cell whose words beside the number change together, so that a reader sees all or none of a
// change. A word that a reader takes brings with it the odd version before it.
class BACKOFF_ACTOR_EXPORT CauseCell : public Cell<CauseWords::size> {
public:
  struct Note {
    std::string text{};
    Instant at = Instant::never(); // never: there is none
  };

  void write(std::string_view text, Instant now);

  // Nothing if it changes all the time.
  Note read() const;
};

} // namespace backoff_actor::detail
