#pragma once

#include <cstdint>
#include <string>

namespace backoff_actor::test {

/// A header of BASP, CAF's protocol between nodes. The numbers are those of CAF 0.17 and 1.x.
struct FrameHeader {
  std::uint8_t operation = 2;
  std::uint32_t size = 0; // of the payload
  std::uint64_t data = 0;
  std::uint64_t source = 0;
  std::uint64_t destination = 7;
};

inline constexpr std::uint8_t server_handshake = 0;
inline constexpr std::uint8_t client_handshake = 1;
inline constexpr std::uint8_t direct_message = 2;
inline constexpr std::uint8_t routed_message = 3;
inline constexpr std::uint8_t monitor_message = 4;
inline constexpr std::uint8_t down_message = 5;
inline constexpr std::uint8_t heartbeat = 6;

/// The 32 bytes of a header.
inline std::string bytes_of(const FrameHeader& header) {
  std::string result{static_cast<char>(header.operation), '\0', '\0', '\0'};
  const auto add = [&](std::uint64_t number, int size) {
    for (int i = size - 1; i >= 0; --i)
      result.push_back(static_cast<char>(number >> (8 * i)));
  };
  add(header.size, 4);
  add(header.data, 8);
  add(header.source, 8);
  add(header.destination, 8);
  return result;
}

/// A header, and as many bytes of payload as it says.
inline std::string frame(FrameHeader header) {
  return bytes_of(header) + std::string(header.size, 'x');
}

inline std::string client_greeting() {
  return frame({.operation = client_handshake, .size = 21, .destination = 0});
}

inline std::string server_greeting() {
  return frame({.operation = server_handshake, .size = 100, .data = 8, .destination = 0});
}

} // namespace backoff_actor::test
