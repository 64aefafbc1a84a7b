// Whatever the bytes, the parser takes them or throws ParseError at a place within them; what it
// takes is printed so that it is read as the same policy, and keeps within its bounds.

#include "require.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace backoff_actor;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    const auto policy = parse_policy(text);
    require(parse_policy(to_string(policy)) == policy, "it is not read back");
    auto progress = policy.start();
    for (const auto u : {0.0, 0.3, 0x1.fffffffffffffp-1, 0.9, 0.5}) {
      const auto step = policy.next(progress, u);
      require(step.delay >= Duration::zero() && step.delay <= policy.longest(),
              "a delay is out of bounds");
      progress = step.progress;
    }
  } catch (const ParseError& error) {
    require(error.column() >= 1 && error.column() <= size + 1, "a column is out of the text");
    require(!error.problem().empty(), "an error says nothing");
  }
  return 0;
}
