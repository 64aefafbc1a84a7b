// Whatever the bytes, the parser takes them or throws ParseError at a place within them; what it
// takes is printed so that it is read as the same plan, and can be asked for any fault.

#include "require.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/testing/faults/fault_plan.hpp"
#include "backoff_actor/testing/proxy/connection_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace {

template <class Plan>
void read(std::string_view text) {
  using namespace backoff_actor;
  try {
    const Plan plan{text};
    const auto printed = to_string(plan);
    require(Plan{printed} == plan, "it is not read back");
    const auto length = plan.length();
    require(!length || *length <= Plan::max_length, "it is too long");
    for (std::uint64_t n = 1;; n *= 3) {
      const auto fault = plan[n];
      require(!length || n < *length || fault == decltype(fault){}, "a fault after the end");
      if (n > std::numeric_limits<std::uint64_t>::max() / 3)
        break;
    }
    require(plan[0] == Plan{printed}[0], "the first faults differ");
    require(plan.with_seed(3).with_seed(3) == plan.with_seed(3), "seeds do not stay");
  } catch (const ParseError& error) {
    require(error.column() >= 1 && error.column() <= text.size() + 1,
            "a column is out of the text");
    require(!error.problem().empty(), "an error says nothing");
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace backoff_actor::testing;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  read<FaultPlan>(text);
  read<BirthPlan>(text);
  read<ConnectionPlan>(text);
  return 0;
}
