// The article, one to one: a worker that fails eight times in a row, guarded by a BackOffSender.
//
// Shows what happens on the way, event by event, for one message that fails, and then for ten
// messages with that one in the middle. The last line counts.

#include "article.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using article::Msg;

/// Prints what happens and counts it. Written by the sender's thread; read when the sender has
/// ended.
struct Story {
  std::uint64_t crashes = 0;
  std::uint64_t replies = 0;
  std::uint64_t total_retries = 0;
  std::uint64_t resets = 0;
  std::optional<backoff_actor::Instant> began{};

  void tell(const backoff_actor::Event& event) {
    if (!began)
      began = time_of(event);
    const auto since = time_of(event) - *began;
    std::printf("%7.1f ms  %s\n", static_cast<double>(since.count()) / 1e6,
                to_string(event).c_str());
    if (const auto* down = std::get_if<backoff_actor::event::ChildDown>(&event))
      crashes += down->is_failure ? 1 : 0;
    else if (std::holds_alternative<backoff_actor::event::Acknowledged>(event))
      ++replies;
    else if (const auto* retry = std::get_if<backoff_actor::event::RetryScheduled>(&event))
      total_retries = retry->backoff.total_retries();
    else if (const auto* reset = std::get_if<backoff_actor::event::BackOffReset>(&event))
      resets = reset->backoff.resets();
  }
};

/// Sends all messages at once and returns how many of the answers carried the text that was sent.
std::size_t ask_all(caf::scoped_actor& client, const caf::actor& sender,
                    const std::vector<Msg>& messages) {
  std::size_t right = 0;
  for (const auto& message : messages)
    client->send(sender, message);
  for (std::size_t i = 0; i < messages.size(); ++i)
    client->receive([&](const Msg& answer) { right += answer.data == messages[i].data ? 1U : 0U; });
  return right;
}

Story run(const std::vector<Msg>& messages, std::size_t& right) {
  Story story;
  caf::actor_system_config config;
  backoff_actor::init<caf::id_block::article>(config);
  caf::actor_system system{config};

  backoff_actor::SenderOptions options; // slot_time 10 ms, ceiling 10, as in the article
  options.acknowledgement = backoff_actor::Acknowledgement::by_sent;
  options.seed = 1;
  options.stream = 0;
  options.on_event = [&](const backoff_actor::Event& event) { story.tell(event); };

  const auto sender =
    backoff_actor::spawn_back_off_sender(system,
                                         backoff_actor::child_of<article::DangerousActor>(
                                           std::make_shared<article::DangerousResource>()),
                                         options);
  caf::scoped_actor client{system};
  right = ask_all(client, sender, messages);
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  client->wait_for(sender);
  return story;
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    const auto wants_help = std::string_view{argv[1]} == "--help";
    std::fprintf(
      wants_help ? stdout : stderr,
      "usage: article\n\nRuns the article's example and prints what happens. It has no options.\n"
      "Exit codes: 0 every message was answered, 1 otherwise, 2 bad input.\n");
    return wants_help ? 0 : 2;
  }

  std::printf("one message that fails eight times\n");
  std::size_t right_of_two = 0;
  const auto one = run({{1, "set-err"}, {1, "err"}}, right_of_two);

  std::printf("\nten messages with that one in the middle\n");
  std::vector<Msg> messages{{1, "set-err"}, {2, "err"}};
  for (std::uint64_t id = 3; id <= 10; ++id)
    messages.push_back({id, "test" + std::to_string(id)});
  std::size_t right_of_ten = 0;
  const auto ten = run(messages, right_of_ten);

  std::printf("\none: crashes %llu, total_retries %llu, resets %llu, replies %llu; "
              "ten: answered in order %zu of 10, crashes %llu\n",
              static_cast<unsigned long long>(one.crashes),
              static_cast<unsigned long long>(one.total_retries),
              static_cast<unsigned long long>(one.resets),
              static_cast<unsigned long long>(one.replies), right_of_ten,
              static_cast<unsigned long long>(ten.crashes));
  return right_of_two == 2 && right_of_ten == 10 ? 0 : 1;
}
