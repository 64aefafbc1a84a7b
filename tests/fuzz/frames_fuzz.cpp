// Whatever bytes a node sends, the check in front of CAF passes the same of them in whatever pieces
// they come. It passes nothing that CAF would not survive: the frames that pass are read here once
// more, one by one. The first byte says who sends, the second how large the pieces are.

#include "require.hpp"

#include "backoff_actor/caf/door/internal/frame_check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace {

using backoff_actor::door::FrameCheck;
using backoff_actor::door::Speaker;

constexpr std::uint32_t max_frame = 70'000;

std::uint32_t size_in(std::span<const std::byte> header) {
  std::uint32_t result = 0;
  for (std::size_t i = 4; i != 8; ++i)
    result = (result << 8) | std::to_integer<std::uint32_t>(header[i]);
  return result;
}

// What has passed: whole frames, but for a payload of which the rest has not come.
void inspect(Speaker speaker, std::span<const std::byte> passed) {
  bool is_first = true;
  while (!passed.empty()) {
    require(passed.size() >= FrameCheck::header_size, "a part of a header has passed");
    const auto operation = std::to_integer<int>(passed[0]);
    const auto size = size_in(passed);
    require(operation <= 6, "an operation that CAF does not know has passed");
    require(size <= max_frame, "a frame above the limit has passed");
    require((size == 0) == (operation == 6), "a payload is missing, or was not wanted");
    if (operation <= 1)
      require(size <= FrameCheck::largest_handshake, "a large handshake has passed");
    const auto own = speaker == Speaker::server ? 0 : 1;
    require(operation > 1 || (operation == own && (is_first || own == 1)),
            "a handshake of the other side, or a second one, has passed");
    require(!is_first || operation == own, "something has passed before the handshake");
    is_first = false;
    const auto whole = FrameCheck::header_size + size;
    passed = passed.subspan(std::min<std::size_t>(whole, passed.size()));
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2)
    return 0;
  const auto speaker = data[0] % 2 == 0 ? Speaker::client : Speaker::server;
  const auto bytes = std::as_bytes(std::span{data + 2, size - 2});
  FrameCheck at_once{speaker, max_frame};
  const auto passed = at_once.pass(bytes);
  require(passed <= bytes.size(), "more has passed than has come");
  inspect(speaker, bytes.first(passed));

  FrameCheck in_pieces{speaker, max_frame};
  std::size_t passed_in_pieces = 0;
  for (std::size_t come = 0; come != bytes.size() && in_pieces.problem().empty();) {
    come = std::min(bytes.size(), come + 1 + data[1]);
    passed_in_pieces += in_pieces.pass(bytes.subspan(passed_in_pieces, come - passed_in_pieces));
  }
  require(passed_in_pieces == passed, "in pieces, something else passes");
  require(in_pieces.problem() == at_once.problem(), "in pieces, something else is said");
  require(in_pieces.has_handshake() == at_once.has_handshake(), "in pieces, the handshake differs");
  return 0;
}
