#pragma once

#include "redis_server.hpp"

#include <cstdint>
#include <stop_token>
#include <string>

namespace redis_client {

/// What came of a run.
struct Counts {
  std::uint64_t written = 0; ///< acknowledged by the server
  std::uint64_t found = 0;   ///< there in the end, with the right value
  std::uint64_t retries = 0;
  int kills = 0;
  bool is_complete = false; ///< all was written and looked for, and nobody stopped it
};

/// Writes that many keys, kills the server and starts it again in the middle of that, and reads
/// all keys back in the end. Each retry is announced on stderr.
///
/// @errors throws `std::runtime_error` if something cannot be written or read, after all retries.
Counts run(RedisServer& server, std::uint64_t keys, std::stop_token stop);

} // namespace redis_client
