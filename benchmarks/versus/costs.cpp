#include "common/processes.hpp"
#include "versus/actors.hpp"
#include "versus/measures.hpp"

#include <backoff_actor/caf/compat/internal/virtual_system.hpp>

#include <functional>

namespace versus {

namespace {

using namespace backoff_actor;

// -- idle pairs ---------------------------------------------------------------------------

class Front : public caf::event_based_actor {
public:
  Front(caf::actor_config& config, caf::actor worker)
    : caf::event_based_actor(config), worker_(std::move(worker)) {}

  caf::behavior make_behavior() override {
    return {[this](const Msg& msg) { return delegate(worker_, msg); }};
  }

private:
  caf::actor worker_;
};

struct Asked {
  std::vector<caf::actor> whom;
  std::size_t next = 0;
  std::size_t answers = 0;
  std::promise<void> done{};
};

// Makes all actors answer once, a few at a time, so that no heap of messages is left behind.
caf::behavior asker(caf::event_based_actor* self, Asked* asked) {
  const auto ask = [=] {
    self->send(asked->whom[asked->next], message(asked->next));
    ++asked->next;
  };
  while (asked->next < std::min<std::size_t>(asked->whom.size(), 64))
    ask();
  return {[=](const Msg&) {
    if (++asked->answers == asked->whom.size())
      asked->done.set_value();
    else if (asked->next < asked->whom.size())
      ask();
  }};
}

// Returns what makes one more.
std::function<caf::actor()> maker_of(caf::actor_system& system, Pair pair) {
  if (pair == Pair::plain)
    return [&system] { return caf::actor{system.spawn<Front>(system.spawn<Echo>())}; };
  if (pair == Pair::ours_each)
    return [&system] { return spawn_back_off_sender(system, child_of<Echo>()); };
  SenderOptions options;
  if (pair == Pair::observed || pair == Pair::observed_unused)
    options.observed_by = Observatory{};
  if (pair == Pair::unused || pair == Pair::observed_unused)
    options.rare.child_start = FirstStart::on_first_use;
  return [&system, blueprint = SenderBlueprint{child_of<Echo>(), options}] {
    return blueprint.spawn(system);
  };
}

// -- messages that wait -------------------------------------------------------------------

struct Post {
  bool is_up = false; // the service
  std::uint64_t worked_on = 0;
  std::uint64_t answers = 0; // to plain sends
};

// Sends as many small messages as it is told to. Answers to requests are dropped: without a handler
// CAF keeps nothing of an open request.
caf::behavior poster(caf::event_based_actor* self, const caf::actor& receiver, bool by_request,
                     Post* post) {
  return {
    [=, next = std::uint64_t{0}](std::uint64_t count) mutable {
      for (; count > 0; --count) {
        std::string text{"twelve bytes"};
        if (by_request)
          static_cast<void>(self->request(receiver, caf::infinite, std::move(text), next++));
        else
          self->send(receiver, std::move(text), next++);
      }
    },
    [post](const std::string&) { ++post->answers; },
  };
}

// Answers each message, and checks that it is the next one.
caf::behavior checker(caf::event_based_actor*, Post* post) {
  return {[post](const std::string& text, std::uint64_t number) {
    if (number != post->worked_on++)
      throw std::runtime_error("the worker was given another message than the next");
    return text;
  }};
}

// -- instructions -------------------------------------------------------------------------

caf::behavior batch_client(caf::event_based_actor* self, const caf::actor& receiver) {
  return {
    [=](std::uint64_t count) {
      for (; count > 0; --count)
        self->send(receiver, message(count));
    },
    [](const Msg&) {},
  };
}

void settle(compat::VirtualSystem& world) {
  while (world.step())
    continue;
}

void submit_and_acknowledge(const CountedSender& what) {
  auto& world = *new compat::VirtualSystem{
    [](caf::actor_system_config& config) { init<caf::id_block::transcription>(config); }};
  SenderOptions options;
  options.max_in_flight = what.window; // the same whether the outbox is small or large
  options.capacity = 2'000'000;
  if (what.is_observed)
    options.observed_by.emplace();
  caf::actor worker;
  const auto sender = kept(spawn_back_off_sender(
    world.system(), [&](caf::event_based_actor* parent) { return worker = parent->spawn<Echo>(); },
    options));
  const auto client = kept(world.system().spawn(batch_client, sender));
  settle(world);
  const auto may_work = [&](const caf::actor& whom) { // and nobody else
    world.thaw_all();
    for (const auto& actor : {client, sender, worker})
      if (actor != whom)
        world.freeze(actor);
  };
  const auto send = [&](std::uint64_t count) {
    may_work(client);
    compat::enqueue(client, count);
    settle(world);
  };
  const auto count_sender = [&] {
    may_work(sender);
    mark();
    settle(world);
    mark();
  };
  send(what.outbox);
  may_work(sender);
  settle(world);
  for (auto round = 0; round < 2; ++round) {
    send(what.window);
    count_sender();
    may_work(worker);
    settle(world);
    count_sender();
  }
}

} // namespace

Figures idle_pairs(Pair pair, std::uint64_t count) {
  auto& system = system_with(1);
  auto& asked = *new Asked{std::vector<caf::actor>(count)}; // resident now
  const auto make = maker_of(system, pair);
  const auto before = resident_now();
  const auto begin = cpu_now();
  std::generate(asked.whom.begin(), asked.whom.end(), make);
  const auto spawned = cpu_now();
  if (pair != Pair::unused && pair != Pair::observed_unused) {
    kept(system.spawn(asker, &asked));
    asked.done.get_future().wait();
  }
  trim_memory();
  const auto each = static_cast<double>(count);
  return {(resident_now() - before) / each, (spawned - begin) * 1e6 / each};
}

Figures waiting(bool at_sender, bool by_request, std::uint64_t count) {
  auto& world = *new compat::VirtualSystem{[](caf::actor_system_config& config) { init(config); }};
  auto& post = *new Post;
  const auto make = [&post](caf::event_based_actor* parent) -> caf::actor {
    if (!post.is_up)
      throw std::runtime_error("the service is down");
    return parent->spawn(checker, &post);
  };
  SenderOptions options;
  options.capacity = count;
  options.backoff =
    RandomSlots{.slot_time = std::chrono::hours{1}, .ceiling = 1, .stay_at_ceiling = true};
  const auto receiver = kept(at_sender ? spawn_back_off_sender(world.system(), make, options)
                                       : caf::actor{world.system().spawn(checker, &post)});
  const auto client = kept(world.system().spawn(poster, receiver, by_request, &post));
  settle(world);
  const auto before = heap_now();
  for (auto left = count; left > 0;) {
    const auto batch = at_sender ? std::min<std::uint64_t>(left, 1000) : left;
    left -= batch;
    compat::enqueue(client, batch);
    world.step(); // the client; only a sender takes them in
    if (at_sender)
      settle(world);
  }
  const auto each = (heap_now() - before) / static_cast<double>(count);
  post.is_up = true;
  if (at_sender)
    compat::enqueue(receiver, RetryNow{});
  settle(world);
  if (post.worked_on != count || post.answers != (by_request ? 0 : count))
    throw std::runtime_error("a message that waited was lost");
  return {each};
}

Figures sender_instructions(const CountedSender& what) {
  const auto counts = instructions_of([&] { submit_and_acknowledge(what); });
  if (counts.size() != 4)
    throw std::runtime_error("the parts that are counted are not as they should be");
  // In the first round the dynamic linker looks up the functions that are called.
  const auto window = static_cast<double>(what.window);
  return {counts[2] / window, counts[3] / window, (counts[2] + counts[3]) / window};
}

} // namespace versus
