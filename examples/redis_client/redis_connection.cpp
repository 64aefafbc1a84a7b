#include "redis_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <sys/time.h>

namespace redis_client {

using backoff_actor::Duration;

namespace {

// Rounded up to whole microseconds, and not to 0, which is no limit.
timeval in_microseconds(Duration span) {
  using namespace std::chrono;
  const auto whole = std::max(ceil<microseconds>(span), microseconds{1});
  const auto whole_seconds = floor<seconds>(whole);
  return {static_cast<time_t>(whole_seconds.count()),
          static_cast<suseconds_t>((whole - whole_seconds).count())};
}

// Errors of a server that will be well again: it reads its files, or others have it busy.
bool is_temporary(std::string_view error) {
  constexpr std::string_view kinds[] = {"LOADING ", "BUSY ", "TRYAGAIN ", "CLUSTERDOWN ",
                                        "MASTERDOWN "};
  return std::any_of(std::begin(kinds), std::end(kinds),
                     [&](auto kind) { return error.starts_with(kind); });
}

} // namespace

void RedisConnection::set(const std::string& key, const std::string& value, Duration time_allowed) {
  answer_to({"SET", key, value}, time_allowed);
}

std::optional<std::string> RedisConnection::get(const std::string& key, Duration time_allowed) {
  const auto reply = answer_to({"GET", key}, time_allowed);
  if (reply->type != REDIS_REPLY_STRING)
    return std::nullopt;
  return std::string{reply->str, reply->len};
}

RedisConnection::Reply RedisConnection::answer_to(const std::vector<std::string>& words,
                                                  Duration time_allowed) {
  const auto deadline = std::chrono::steady_clock::now() + time_allowed;
  if (!connection_)
    connect(time_allowed);
  redisSetTimeout(connection_.get(), in_microseconds(deadline - std::chrono::steady_clock::now()));
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const auto& word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  Reply reply{static_cast<redisReply*>(redisCommandArgv(
    connection_.get(), static_cast<int>(words.size()), texts.data(), sizes.data()))};
  if (!reply)
    fail(time_allowed);
  if (reply->type == REDIS_REPLY_ERROR)
    throw RedisError{{reply->str, reply->len}, !is_temporary({reply->str, reply->len})};
  return reply;
}

void RedisConnection::connect(Duration time_allowed) {
  connection_.reset(redisConnectWithTimeout("127.0.0.1", port_, in_microseconds(time_allowed)));
  if (!connection_)
    throw RedisError{"no memory for a connection", true};
  if (connection_->err != 0)
    fail(time_allowed);
}

// A connection that failed once is of no use any more.
void RedisConnection::fail(Duration time_allowed) {
  const auto is_timeout = connection_->err == REDIS_ERR_IO && errno == EAGAIN;
  const auto text = is_timeout ? "no answer within " + backoff_actor::to_string(time_allowed)
                               : std::string{connection_->errstr};
  connection_.reset();
  throw RedisError{text, false};
}

} // namespace redis_client
