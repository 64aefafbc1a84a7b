// What CAF says first, and what is no such thing: whatever the bytes are, they are read or refused.

#include "common/seeds.hpp"
#include "system/remote/nodes.hpp"

#include <backoff_actor/core/unit_random.hpp>

#include <cstddef>
#include <span>

namespace backoff_actor::remote_test {

namespace {

using io_compat::greeting_header_size;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span{text});
}

std::optional<io_compat::GreetingHeader> header_of(const std::string& text) {
  return io_compat::read_greeting_header(bytes_of(text).first<greeting_header_size>());
}

std::optional<io_compat::Greeting> greeting(const std::string& text) {
  const auto header = header_of(text);
  if (!header)
    return std::nullopt;
  return io_compat::read_greeting(*header, bytes_of(text).subspan(greeting_header_size));
}

// A real one, of a node with an actor.
std::string real_greeting() {
  Node node;
  return greeting_of(node.publish_clerk());
}

} // namespace

TEST(Greeting, tells_the_protocol_the_identifiers_and_whether_an_actor_is_published) {
  Node node;
  const auto with = greeting(greeting_of(node.publish_clerk()));
  const auto without = greeting(greeting_of(node.listen()));

  ASSERT_TRUE(with && without);
  EXPECT_EQ(with->protocol, io_compat::own_protocol());
  EXPECT_TRUE(with->publishes_actor);
  EXPECT_FALSE(without->publishes_actor);
  EXPECT_EQ(with->identifiers, io_compat::identifiers(node.system->config()));
  EXPECT_GE(with->identifiers.size(), 3u);
}

TEST(Greeting, of_which_a_part_is_missing_is_none) {
  const auto whole = real_greeting();
  for (auto size = greeting_header_size; size != whole.size(); ++size)
    EXPECT_FALSE(greeting(whole.substr(0, size))) << size << " of " << whole.size();
}

TEST(Greeting, of_another_operation_or_with_actors_is_none) {
  const auto real = real_greeting();
  for (const std::size_t i :
       {0u, 3u, 16u, 23u, 24u, 31u}) { // operation, flags, source, destination
    auto changed = real;
    changed[i] = '\1';
    EXPECT_FALSE(header_of(changed)) << "byte " << i;
  }
  auto without_protocol = real;
  without_protocol.replace(8, 8, 8, '\0');
  EXPECT_FALSE(header_of(without_protocol));
}

TEST(Greeting, of_random_bytes_is_refused_or_read_but_never_fatal) {
  const auto real = real_greeting();
  const io_compat::GreetingHeader header{io_compat::own_protocol(), 0};
  for (const auto seed : test::seeds(20'000)) {
    SCOPED_TRACE("BACKOFF_ACTOR_SEED=" + std::to_string(seed));
    const Draws draws{seed, 1};
    const auto up_to = [&](std::uint64_t n, std::size_t most) {
      return static_cast<std::size_t>(draws(n) * static_cast<double>(most));
    };
    // Half of them all random, the others real with a few bytes changed, so that they are read
    // deeper.
    std::string text;
    if (draws(0) < 0.5) {
      text.resize(up_to(1, 300));
      for (std::size_t i = 0; i != text.size(); ++i)
        text[i] = static_cast<char>(up_to(10 + i, 256));
    } else {
      text = real.substr(greeting_header_size);
      for (std::size_t i = 0, count = 1 + up_to(1, 4); i != count; ++i)
        text[up_to(10 + i, text.size())] = static_cast<char>(up_to(20 + i, 256));
    }
    const auto read = io_compat::read_greeting(header, bytes_of(text));
    if (read) {
      std::size_t size = 0;
      for (const auto& x : read->identifiers)
        size += x.size();
      ASSERT_LE(size, text.size()) << "nothing is read that was not there";
    }
    text.resize(greeting_header_size, '\0');
    header_of(text);
  }
}

} // namespace backoff_actor::remote_test
