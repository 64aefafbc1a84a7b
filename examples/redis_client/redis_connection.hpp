#pragma once

#include "backoff_actor/core/time.hpp"

#include <hiredis/hiredis.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace redis_client {

/// A command had no answer, or the answer is an error.
class RedisError : public std::runtime_error {
public:
  RedisError(const std::string& what, bool is_final)
    : std::runtime_error(what), is_final_(is_final) {}

  /// Whether the server would answer the same to another attempt.
  bool is_final() const { return is_final_; }

private:
  bool is_final_;
};

/// A connection to a Redis server on 127.0.0.1. After a command without an answer it is closed, and
/// opened again by the next one. Nobody knows whether such a command was carried out, so give it
/// only what may be carried out twice.
///
/// @thread one at a time
class RedisConnection {
public:
  explicit RedisConnection(int port) : port_(port) {}

  /// @errors throws `RedisError`
  void set(const std::string& key, const std::string& value, backoff_actor::Duration time_allowed);

  /// Returns the value; nothing if there is no such key.
  ///
  /// @errors throws `RedisError`
  std::optional<std::string> get(const std::string& key, backoff_actor::Duration time_allowed);

private:
  struct Free {
    void operator()(redisContext* connection) const { redisFree(connection); }
    void operator()(redisReply* reply) const { freeReplyObject(reply); }
  };
  using Reply = std::unique_ptr<redisReply, Free>;

  Reply answer_to(const std::vector<std::string>& words, backoff_actor::Duration time_allowed);
  void connect(backoff_actor::Duration time_allowed);
  [[noreturn]] void fail(backoff_actor::Duration time_allowed);

  int port_;
  std::unique_ptr<redisContext, Free> connection_;
};

} // namespace redis_client
