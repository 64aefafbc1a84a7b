// Whatever the bytes, the parser takes them or throws ParseError at a place within them; what it
// takes is printed so that it is read as the same guard, and can be made.

#include "require.hpp"

#include "backoff_actor/guard/internal/guard.hpp"
#include "backoff_actor/guard/parse_guard.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace backoff_actor;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    const auto options = parse_guard(text);
    require(parse_guard(to_string(options)) == options, "it is not read back");
    if (options.empty())
      return 0;
    Guard guard{options};
    Instant now{};
    for (auto i = 0; i != 20; ++i) {
      const auto answer = guard.admit(now, i % 2 == 0 ? Call::first : Call::retry);
      if (const auto* const permit = std::get_if<Permit>(&answer))
        guard.failed(*permit, now);
      else
        require(std::get<HeldBack>(answer).until >= now, "it is to come back in the past");
      now = now + std::chrono::seconds{1};
    }
  } catch (const ParseError& error) {
    require(error.column() >= 1 && error.column() <= size + 1, "a column is out of the text");
    require(!error.problem().empty(), "an error says nothing");
  }
  return 0;
}
