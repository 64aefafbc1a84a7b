// poison_message: one message that always crashes the child, and what becomes of all the others.

#include "article/back_off_sender.hpp"
#include "common/program.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/testing/time/virtual_time.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace poison_message {

namespace {

using namespace backoff_actor;
using namespace benchmarks;
using testing::VirtualTime;
using transcription::Msg;
using transcription::Tick;
using transcription::TrackedMsg;
using namespace std::chrono_literals;

const Words words{"poison_message",
                  R"(Measures the worst case of the article's design, in virtual time.

A poison message crashes the child whenever the child works on it. Behind it come 2857 good
messages, one every 7 ms for 20 s. The program counts the crashes and the messages handed to a
child within those 20 s. It also counts the good messages whose client has its answer then, and 60
s later. It does so for the article's BackOffSender, transcribed, and for the one of this library.
The same options give the same numbers on every machine.
)",
                  R"(  poison_message                  medians over 11 seeds
  poison_message --seeds 1        one run of each
  poison_message --service-us 0   a better case for the article's sender: with a child that takes
                                  no time, no message comes between a resend and the crash, and no
                                  second series of retries begins
)"};

constexpr std::uint64_t good_messages = 2857;
constexpr auto period = 7ms;
constexpr auto load_lasts = 20s;
constexpr auto then = 60s;
// Waits are multiples of 10 ms: no message comes at the instant of the retry of an earlier one, so
// that nothing hangs on which of the two is taken for the first.
constexpr auto first_good_after = 3500us;

// The child of all senders. It works on one message at a time, for as long as it is told to.
class Worker : public caf::event_based_actor {
public:
  Worker(caf::actor_config& config, Duration takes)
    : caf::event_based_actor(config), takes_(takes) {}

  caf::behavior make_behavior() override {
    return {
      [this](const Msg& msg) {
        auto client = make_response_promise();
        take({msg, client});
        return client;
      },
      [this](const TrackedMsg& tracked) {
        take({tracked.msg, {}, caf::actor_cast<caf::actor>(current_sender()), tracked.sender});
      },
      [this](Tick) { finish(); },
    };
  }

private:
  struct Job {
    Msg msg;
    caf::response_promise answer{}; // where it was a request,
    caf::actor parent{};            // and where it came from the article's sender
    caf::actor client{};
  };

  void take(Job job) {
    jobs_.push_back(std::move(job));
    if (jobs_.size() == 1)
      compat::send_later(*this, takes_, Tick{});
  }

  void finish() {
    auto& [msg, answer, parent, client] = jobs_.front();
    if (msg.data == "poison")
      throw std::runtime_error("Danger, High Voltage!");
    if (parent) {
      send(parent, transcription::Sent{msg.id});
      send(client, msg);
    } else {
      answer.deliver(msg);
    }
    jobs_.pop_front();
    if (!jobs_.empty())
      compat::send_later(*this, takes_, Tick{});
  }

  Duration takes_;
  std::deque<Job> jobs_; // the mailbox of a worker that blocks
};

// The ids of the messages that were answered.
using Answers = std::set<std::uint64_t>;

// Sends the poison, which has the id 0, and then the good ones.
caf::behavior client(caf::event_based_actor* self, const caf::actor& receiver,
                     const std::shared_ptr<Answers>& answers) {
  self->send(receiver, Msg{0, "poison"});
  compat::send_later(*self, first_good_after, std::uint64_t{1});
  return {
    [=](std::uint64_t id) {
      self->send(receiver, Msg{id, "good"});
      if (id < good_messages)
        compat::send_later(*self, period, id + 1);
    },
    [=](const Msg& answer) { answers->insert(answer.id); },
  };
}

struct Options {
  std::uint64_t seeds = 11;
  std::uint64_t service_us = 1000;
};

// What is counted of a sender while it works.
struct Work {
  std::uint64_t crashes = 0;
  std::uint64_t hand_overs = 0;
  std::uint64_t dead_letters = 0;
};

// Makes a sender to be measured. Returns it, and how to read its counts.
using Running = std::pair<caf::actor, std::function<Work()>>;
using Spawn = std::function<Running(VirtualTime&, const ChildFactory&, std::uint64_t seed)>;

Spawn article(bool stay_at_ceiling) {
  return [=](VirtualTime& time, const ChildFactory& make_child, std::uint64_t seed) -> Running {
    ExponentialBackOffSpec spec;
    spec.stay_at_ceiling = stay_at_ceiling;
    spec.seed = seed;
    const auto counts = std::make_shared<transcription::Counts>();
    return {time.system().spawn<transcription::BackOffSender>(make_child, spec, counts), [=] {
              return Work{counts->crashes, counts->hand_overs, 0};
            }};
  };
}

Spawn ours(SenderOptions options) {
  return
    [=](VirtualTime& time, const ChildFactory& make_child, std::uint64_t seed) mutable -> Running {
      const auto work = std::make_shared<Work>();
      options.seed = seed;
      options.stream = 0;
      options.on_event = [=](const Event& event) {
        work->crashes += std::holds_alternative<event::ChildDown>(event);
        work->hand_overs += std::holds_alternative<event::HandedOver>(event);
        work->dead_letters += std::holds_alternative<event::DeadLettered>(event);
      };
      return {spawn_back_off_sender(time.system(), make_child, options), [=] { return *work; }};
    };
}

Figures run(const Spawn& spawn, Duration service_time, std::uint64_t seed) {
  VirtualTime time{[](caf::actor_system_config& config) {
    compat::register_types<caf::id_block::transcription>(config);
  }};
  const auto [sender, work] = spawn(time, child_of<Worker>(service_time), seed);
  time.keep(sender);
  const auto answers = std::make_shared<Answers>();
  time.keep(time.system().spawn(client, sender, answers));
  time.advance(load_lasts);
  const auto in_time = work();
  const auto answered_in_time = answers->size();
  time.advance(then);
  Figures result;
  for (const std::uint64_t count : {in_time.crashes, in_time.hand_overs, answered_in_time,
                                    answers->size(), work().dead_letters})
    result.push_back(static_cast<double>(count));
  return result;
}

Report measure(const Options& options) {
  SenderOptions five_attempts;
  five_attempts.max_attempts = 5;
  five_attempts.charging = Charging::every_failure();
  SenderOptions unordered;
  unordered.ordering = Ordering::unordered;
  std::vector<Subject> subjects;
  for (const auto& [name, spawn] :
       {std::pair{"article", article(false)}, std::pair{"article, stay_at_ceiling", article(true)},
        std::pair{"ours, defaults (strict)", ours({})},
        std::pair{"ours, strict, max_attempts 5", ours(five_attempts)},
        std::pair{"ours, unordered", ours(unordered)}})
    subjects.push_back({name, [&options, spawn = spawn, seed = std::uint64_t{1}]() mutable {
                          return run(spawn, std::chrono::microseconds{options.service_us}, seed++);
                        }});
  return Grid{
    {"median", "crashes", "handed to a child", "good, in 20 s", "good, 60 s later", "dead letters"},
    options.seeds,
    subjects}
    .report();
}

} // namespace

} // namespace poison_message

int main(int argc, char** argv) {
  poison_message::Options options;
  benchmarks::Program program{poison_message::words};
  program.number("--seeds", options.seeds, 1, 1000, "number of seeds");
  program.number("--service-us", options.service_us, 0, 1'000'000,
                 "microseconds that the child works on a message");
  return program.run(argc, argv, [&] { return poison_message::measure(options); });
}
