#include "backoff_actor/web/internal/web_connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <sys/socket.h>
#include <utility>

namespace backoff_actor::web::web_connection_test {

namespace {

using State = WebConnection::State;

std::shared_ptr<const std::string> text(std::string content) {
  return std::make_shared<const std::string>(std::move(content));
}

// A connection that watches, and its client.
class Watcher : public ::testing::Test {
protected:
  Watcher() : connection_{connect(), {}, nullptr} {
    connection_.watch("beginning;");
    EXPECT_EQ(received(), "beginning;");
  }

  net::Descriptor connect() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    client_ = net::Descriptor{ends[0]};
    return net::Descriptor{ends[1]};
  }

  // What has come; the connection sends what it can meanwhile.
  std::string received() {
    std::string result;
    std::string bytes(1'000'000, '\0');
    for (;;) {
      const auto count = recv(client_.get(), bytes.data(), bytes.size(), 0);
      if (count <= 0)
        return result;
      result.append(bytes, 0, static_cast<std::size_t>(count));
      connection_.move();
    }
  }

  void offer(const std::string& changed) { connection_.offer(text(changed), nullptr); }
  void offer(const std::string& changed, const std::string& all) {
    connection_.offer(text(changed), text(all));
  }

  net::Descriptor client_;
  WebConnection connection_;
};

} // namespace

TEST_F(Watcher, waits_for_a_text_that_says_all) {
  EXPECT_TRUE(connection_.needs_all());
  offer("a;");
  EXPECT_EQ(received(), "");
  EXPECT_TRUE(connection_.needs_all());
  offer("b;", "all b;");
  EXPECT_FALSE(connection_.needs_all());
  EXPECT_EQ(received(), "all b;");
}

TEST_F(Watcher, then_gets_what_changes) {
  offer("a;", "all a;");
  offer("b;", "all b;");
  offer("c;");
  EXPECT_EQ(received(), "all a;b;c;");
}

TEST_F(Watcher, that_is_slow_misses_some_and_then_gets_all) {
  const std::string large(10'000'000, 'x');
  offer("a;", large);
  offer("b;", "all b;");
  offer("c;");
  EXPECT_FALSE(connection_.needs_all()) << "it has a text to take first";
  EXPECT_EQ(connection_.held_bytes(), large.size());
  EXPECT_EQ(received(), large);
  EXPECT_EQ(connection_.held_bytes(), 0U);
  EXPECT_TRUE(connection_.needs_all());
  offer("d;");
  EXPECT_EQ(received(), "") << "it does not know what has changed";
  offer("e;", "all e;");
  offer("f;");
  EXPECT_EQ(received(), "all e;f;");
}

TEST_F(Watcher, gets_all_after_a_text_that_could_not_be_made) {
  offer("a;", "all a;");
  connection_.offer(nullptr, nullptr);
  EXPECT_TRUE(connection_.needs_all());
  offer("c;", "all c;");
  EXPECT_EQ(received(), "all a;all c;");
}

TEST_F(Watcher, has_no_due_time_unless_it_has_a_text_to_take) {
  EXPECT_EQ(connection_.due(), Clock::time_point::max());
  offer("a;", std::string(10'000'000, 'x'));
  EXPECT_NE(connection_.due(), Clock::time_point::max());
  received();
  EXPECT_EQ(connection_.due(), Clock::time_point::max());
}

TEST_F(Watcher, that_has_gone_is_over) {
  client_.close();
  connection_.move();
  EXPECT_EQ(connection_.state(), State::over);
}

} // namespace backoff_actor::web::web_connection_test
