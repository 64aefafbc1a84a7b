#include "backoff_actor/caf/door/internal/frame_check.hpp"

#include <algorithm>

namespace backoff_actor::door {

namespace {

// The operations, the same in CAF 0.17 and 1.x.
enum Operation : std::uint8_t {
  server_handshake,
  client_handshake,
  direct_message,
  routed_message,
  monitor_message,
  down_message,
  heartbeat,
};

template <class Number>
Number number_at(std::span<const std::byte, FrameCheck::header_size> header, std::size_t offset) {
  Number result = 0;
  for (std::size_t i = 0; i != sizeof(Number); ++i)
    result = static_cast<Number>((result << 8) | std::to_integer<Number>(header[offset + i]));
  return result;
}

std::string bytes_text(std::uint32_t count) { return std::to_string(count) + " bytes"; }

} // namespace

std::size_t FrameCheck::pass(std::span<const std::byte> bytes) {
  std::size_t passed = 0;
  while (problem_.empty()) {
    const auto share = std::min<std::size_t>(left_, bytes.size() - passed);
    left_ -= static_cast<std::uint32_t>(share);
    passed += share;
    const auto rest = bytes.subspan(passed);
    if (rest.size() < header_size)
      break;
    const auto header = rest.first<header_size>();
    problem_ = problem_of(header);
    if (!problem_.empty())
      break;
    passed += header_size;
    left_ = number_at<std::uint32_t>(header, 4);
    frames_ = std::min(frames_ + 1, 2u);
  }
  return passed;
}

std::string FrameCheck::problem_of(std::span<const std::byte, header_size> header) const {
  const auto operation = std::to_integer<std::uint8_t>(header[0]);
  const auto size = number_at<std::uint32_t>(header, 4);
  const auto own_handshake = speaker_ == Speaker::server ? server_handshake : client_handshake;
  if (header[0] == std::byte{0x16} && header[1] == std::byte{3}) // the first record of TLS
    return "speaks TLS, and this node has no TLS";
  if (header[1] != std::byte{0} || header[2] != std::byte{0} || operation > heartbeat)
    return "sent something that is not a frame of CAF";
  if (frames_ == 0 && operation != own_handshake)
    return "did not begin with a handshake of CAF";
  if (size > max_frame_)
    return "sent a frame of " + bytes_text(size) + ", above max_frame, " + bytes_text(max_frame_);
  switch (operation) {
  case server_handshake:
    if (frames_ != 0)
      return "sent a handshake of a server in the middle of a connection";
    if (number_at<std::uint64_t>(header, 8) == 0)
      return "sent a handshake of no version of CAF";
    return handshake_problem(size);
  case client_handshake: // CAF 0.17 sends it twice
    if (speaker_ == Speaker::server)
      return "sent a handshake of a client, but was connected to";
    return handshake_problem(size);
  case heartbeat:
    return size == 0 ? "" : "sent a heartbeat with a payload";
  default:
    return size != 0 ? "" : "sent a frame without the payload that it needs";
  }
}

std::string FrameCheck::handshake_problem(std::uint32_t size) const {
  if (size == 0)
    return "sent a handshake without a payload";
  if (size > largest_handshake)
    return "sent a handshake of " + bytes_text(size) + ", above " + bytes_text(largest_handshake);
  return "";
}

} // namespace backoff_actor::door
