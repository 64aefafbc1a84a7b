// Children that are spawned on other nodes. Real sockets, real time.

#include "common/patience.hpp"
#include "system/remote/nodes.hpp"
#include "system/remote/remote_fixture.hpp"

#include <backoff_actor/caf/messages/internal/own_words.hpp>
#include <backoff_actor/caf/remote/internal/io_compat.hpp>
#include <backoff_actor/testing/proxy/tcp_proxy.hpp>

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

#include <future>

namespace backoff_actor::remote_child_test {
namespace {

class RemoteSpawn : public Remote {
protected:
  static ChildFactory worker(std::vector<NodeAddress> nodes, const std::string& name = "w") {
    return remote_spawn(std::move(nodes), "worker", caf::make_message(name));
  }
};

TEST_F(RemoteSpawn, makes_a_worker_on_another_node_and_ends_it_with_the_sender) {
  Node there;
  start(worker({at(there.open())}));
  EXPECT_EQ(ask("a").value, "w:a");
  stop();
  EXPECT_TRUE(becomes_true([] { return diary().count("w ended") == 1; }));
  EXPECT_EQ(diary().lines(), (Strings{"w up", "w a", "w ended"}));
}

TEST_F(RemoteSpawn, makes_a_new_one_after_a_crash_whose_cause_has_come_over_the_network) {
  Node there;
  start(worker({at(there.open())}));
  std::thread client{[&] { ask("crash"); }};
  ASSERT_TRUE(becomes_true([] { return diary().count("w crash") >= 2; }));
  stop();
  client.join();
  EXPECT_EQ(log.all<event::ChildDown>().front().cause.text, "boom of w");
}

TEST_F(RemoteSpawn, a_worker_whose_sender_cannot_be_reached_any_more_is_ended_by_its_node) {
  Node there;
  testing::TcpProxy line{"127.0.0.1", there.open()};
  start(worker({at(line.port())}));
  EXPECT_EQ(ask("a").value, "w:a");
  line.go_down();
  EXPECT_TRUE(becomes_true([] { return diary().count("w ended") == 1; }));
  line.go_up();
  EXPECT_EQ(ask("b").value, "w:b");
  EXPECT_EQ(diary().count("w up"), 2u);
}

TEST_F(RemoteSpawn, a_worker_ends_when_the_program_of_its_sender_does) {
  Node there;
  const auto port = there.open();
  {
    Node other;
    const auto theirs = spawn_back_off_sender(*other.system, worker({at(port)}), default_options());
    EXPECT_EQ(remote_child_test::ask(*other.system, theirs, std::string{"a"}).value, "w:a");
    caf::anon_send_exit(theirs, caf::exit_reason::kill);
  }
  EXPECT_TRUE(becomes_true([] { return diary().count("w ended") == 1; }));
}

TEST_F(RemoteSpawn, several_workers_of_one_program_stand_beside_each_other) {
  Node there;
  const auto port = there.open();
  start(worker({at(port)}, "one"));
  const auto two =
    spawn_back_off_sender(*here.system, worker({at(port)}, "two"), default_options());
  EXPECT_EQ(ask("a").value, "one:a");
  EXPECT_EQ(remote_child_test::ask(*here.system, two, std::string{"a"}).value, "two:a");
  caf::anon_send_exit(two, caf::exit_reason::kill);
  EXPECT_TRUE(becomes_true([] { return diary().count("two ended") == 1; }));
  EXPECT_EQ(ask("b").value, "one:b");
}

TEST_F(RemoteSpawn, a_node_that_ends_in_order_ends_its_workers_and_makes_no_more) {
  Node one;
  Node two;
  start(worker({at(one.open()), at(two.open())}));
  EXPECT_EQ(ask("a").value, "w:a");
  EXPECT_EQ(one.workers->count(), 1u);
  one.workers->end();
  EXPECT_EQ(ask("b").value, "w:b");
  // Others may hear of the end of a worker while it is still counted.
  EXPECT_TRUE(becomes_true([&] { return one.workers->count() == 0; }));
  EXPECT_EQ(two.workers->count(), 1u);
  two.workers->end();
  EXPECT_TRUE(becomes_true([&] { return log.count<event::StartFailed>() >= 1; }));
  EXPECT_TRUE(becomes_true([&] { return two.workers->count() == 0; }));
  EXPECT_EQ(one.workers->count(), 0u);
}

// One that is long in the making on the first node.
class LongInTheMaking : public Worker {
public:
  LongInTheMaking(caf::actor_config& config) : Worker(config, wait_for_permission()) {}

  static inline std::promise<void> permission{};

private:
  static std::string wait_for_permission() {
    permission.get_future().wait();
    return "late";
  }
};

class MadeAtOnce : public Worker {
public:
  MadeAtOnce(caf::actor_config& config) : Worker(config, "prompt") {}
};

TEST_F(RemoteSpawn, a_worker_that_comes_when_its_sender_has_gone_to_the_next_node_is_ended) {
  Node one{[](caf::actor_system_config& config) {
    init_network<>(config, calm());
    add_remote_worker<LongInTheMaking>(config, "long");
  }};
  Node two{[](caf::actor_system_config& config) {
    init_network<>(config, calm());
    add_remote_worker<MadeAtOnce>(config, "long");
  }};
  start(remote_spawn({at(one.open()), at(two.open())}, "long", {}, {.step_timeout = 300ms}));
  EXPECT_EQ(ask("a").value, "prompt:a");
  LongInTheMaking::permission.set_value();
  EXPECT_TRUE(becomes_true([] { return diary().count("late ended") == 1; }));
  EXPECT_EQ(ask("b").value, "prompt:b");
  // On a busy machine, the second node may have been late, too, before it was in time.
  EXPECT_TRUE(
    becomes_true([] { return diary().count("prompt up") == diary().count("prompt ended") + 1; }));
  stop(); // its node would wait for it
}

TEST_F(RemoteSpawn, a_request_for_a_worker_that_no_start_would_make_is_refused) {
  Node there;
  const auto port = there.open();
  const auto middleman = io_compat::middleman_of(*here.system);
  const auto node = remote_test::connected(*here.system, port);
  ASSERT_TRUE(node);
  const auto guard = here.system->spawn<Worker>("guard");
  const auto stray = caf::make_message(std::string{"stray"});
  for (const auto& request : {WorkerRequest{{}, stray, {}}, // would belong to nobody
                              WorkerRequest{guard, stray, std::vector<std::uint64_t>(33)}}) {
    const auto answer =
      remote_test::ask(*here.system, middleman,
                       io_compat::spawn_request(node->node, "worker", caf::make_message(request)));
    EXPECT_TRUE(answer.match_elements<caf::error>()) << caf::to_string(answer);
  }
  caf::anon_send_exit(guard, caf::exit_reason::kill);
  EXPECT_EQ(diary().count("stray up"), 0u);
  start(worker({at(port)}));
  EXPECT_EQ(ask("a").value, "w:a");
}

// A node that thaws may read the request for the next worker first. Only then does it read that the
// sender of the last one is gone.
TEST_F(RemoteSpawn, a_node_ends_the_workers_of_guards_that_are_over_before_it_makes_another) {
  Node there;
  const auto port = there.open();
  const auto node = remote_test::connected(*here.system, port);
  ASSERT_TRUE(node);
  Node stranger;
  const auto same_node = remote_test::connected(*stranger.system, port);
  ASSERT_TRUE(same_node);
  const auto guard = [](caf::actor_system& system) {
    return system.spawn([]() -> caf::behavior { return {[](const std::string&) {}}; });
  };
  const auto spawn = [](caf::actor_system& system, const caf::node_id& where,
                        const WorkerRequest& request) {
    return io_compat::spawned(
      remote_test::ask(system, io_compat::middleman_of(system),
                       io_compat::spawn_request(where, "worker", caf::make_message(request))));
  };
  const auto first = guard(*here.system);
  const auto second = guard(*here.system);
  const auto third = guard(*here.system);
  const auto foreign = guard(*stranger.system);
  const auto named = [](const char* name) { return caf::make_message(std::string{name}); };
  EXPECT_TRUE(spawn(*here.system, node->node, {first, named("one"), {}}));
  EXPECT_TRUE(spawn(*here.system, node->node, {second, named("two"), {}}));
  EXPECT_TRUE(spawn(*stranger.system, same_node->node,
                    {foreign, named("foreign"), {first.id(), second.id()}}))
    << "actors of two nodes may have the same number";
  EXPECT_EQ(there.workers->count(), 3u);
  EXPECT_TRUE(spawn(*here.system, node->node, {third, named("three"), {first.id(), foreign.id()}}));
  EXPECT_TRUE(becomes_true([] { return diary().count("one ended") == 1; }));
  EXPECT_TRUE(becomes_true([&] { return there.workers->count() == 3; }));
  EXPECT_EQ(diary().count("two ended") + diary().count("foreign ended"), 0u);
  for (const auto& x : {first, second, third, foreign})
    caf::anon_send_exit(x, caf::exit_reason::kill);
}

// A worker of this test ends after its guard. So the guard is over before the sender, which hears
// only of the worker's end, starts the next one.
TEST_F(RemoteSpawn, a_start_tells_the_node_which_guards_of_the_factory_are_over) {
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint64_t>>> told; // a guard, those over
  caf::actor guard;                                                       // the last one
  Node there{[&](caf::actor_system_config& config) {
    init_network<>(config, calm());
    io_compat::add_worker_type(
      config, "spy",
      [&](caf::actor_system& system, caf::actor_config&, const caf::message& arguments) {
        const auto& request = arguments.get_as<WorkerRequest>(0);
        const auto worker = system.spawn<Worker>("spied");
        caf::actor_cast<caf::abstract_actor*>(request.guard)
          ->attach_functor([address = worker.address()](const caf::error&) {
            if (const auto living = caf::actor_cast<caf::actor>(address))
              caf::anon_send_exit(living, caf::exit_reason::kill);
          });
        const std::lock_guard lock{mutex};
        told.emplace_back(request.guard.id(), request.over);
        guard = request.guard;
        return caf::actor_cast<caf::strong_actor_ptr>(worker);
      });
  }};
  start(remote_spawn({at(there.open())}, "spy"));
  const auto starts_another = [&](std::size_t starts) {
    EXPECT_EQ(ask("a").value, "spied:a"); // the guard has given the worker to the sender
    {
      const std::lock_guard lock{mutex};
      caf::anon_send_exit(std::exchange(guard, {}), caf::exit_reason::kill);
    }
    return becomes_true([&, starts] {
      const std::lock_guard lock{mutex};
      return told.size() > starts;
    });
  };
  std::size_t starts = 1;
  while (starts <= 34 && starts_another(starts))
    ++starts;
  stop();
  const std::lock_guard lock{mutex};
  guard = {}; // before its system
  ASSERT_EQ(starts, 35u);
  EXPECT_EQ(told[0].second, std::vector<std::uint64_t>{});
  EXPECT_EQ(told[1].second, std::vector<std::uint64_t>{told[0].first});
  EXPECT_EQ(told[2].second, (std::vector<std::uint64_t>{told[0].first, told[1].first}));
  ASSERT_EQ(told[34].second.size(), 32u) << "the last ones";
  EXPECT_EQ(told[34].second.front(), told[2].first);
  EXPECT_EQ(told[34].second.back(), told[33].first);
}

TEST_F(RemoteSpawn, a_node_has_no_more_workers_elsewhere_than_it_may_until_one_has_ended) {
  EventLog second_log;
  std::mutex mutex;
  Strings told;
  Node there{[&](caf::actor_system_config& config) {
    auto options = calm();
    options.max_workers = 1;
    options.on_event = [&](const NetworkEvent& event) {
      const std::lock_guard lock{mutex};
      told.push_back(to_string(event));
    };
    init_network<>(config, options);
  }};
  const auto port = there.open();
  start(worker({at(port)}));
  EXPECT_EQ(ask("a").value, "w:a");
  auto options = default_options();
  options.on_event = second_log.hook();
  const auto second = spawn_back_off_sender(*here.system, worker({at(port)}, "second"), options);
  ASSERT_TRUE(becomes_true([&] { return second_log.count<event::StartFailed>() >= 1; }));
  {
    const std::lock_guard lock{mutex};
    EXPECT_TRUE(std::ranges::any_of(told, [](const auto& x) {
      return x.starts_with("refused: the node ")
             && x.ends_with(" has max_workers, 1, workers here already");
    }));
  }
  Node other; // has a place of its own
  const auto theirs =
    spawn_back_off_sender(*other.system, worker({at(port)}, "third"), default_options());
  EXPECT_EQ(remote_child_test::ask(*other.system, theirs, std::string{"c"}).value, "third:c");
  caf::anon_send_exit(theirs, caf::exit_reason::kill);
  stop();
  EXPECT_EQ(remote_child_test::ask(*here.system, second, std::string{"b"}).value, "second:b");
  caf::scoped_actor self{*here.system};
  self->request(second, caf::timespan{test::patience}, Stop{})
    .receive([](const SenderStatus&) {}, [](const caf::error&) {});
}

struct BadWorker {
  const char* name;
  const char* worker;
  caf::message (*arguments)(); // CAF 1.x can make no message before types are registered

  friend void PrintTo(const BadWorker& row, std::ostream* out) { *out << row.name; }
};

class RemoteSpawnOfBadWorkers : public RemoteSpawn,
                                public ::testing::WithParamInterface<BadWorker> {};

TEST_P(RemoteSpawnOfBadWorkers, is_a_failed_start_that_names_node_and_worker) {
  Node there;
  const auto port = there.open();
  start(remote_spawn({at(port)}, GetParam().worker, GetParam().arguments()));
  ASSERT_TRUE(becomes_true([&] { return log.count<event::StartFailed>() >= 2; }));
  EXPECT_THAT(log.all<event::StartFailed>().front().cause.text,
              HasSubstr("127.0.0.1:" + std::to_string(port) + ": it did not spawn the worker \""
                        + GetParam().worker + "\": "));
  EXPECT_EQ(diary().lines(), Strings{});
  stop();
  start(worker({at(port)})); // its spawn server has survived that
  EXPECT_EQ(ask("a").value, "w:a");
}

INSTANTIATE_TEST_SUITE_P(
  table, RemoteSpawnOfBadWorkers,
  ::testing::Values(BadWorker{"a_name_that_is_not_known", "waiter",
                              [] { return caf::make_message(std::string{"w"}); }},
                    BadWorker{"arguments_of_other_types", "worker",
                              [] { return caf::make_message(std::uint64_t{1}); }},
                    BadWorker{"no_arguments", "worker", [] { return caf::message{}; }},
                    BadWorker{"a_worker_that_throws_when_it_is_made", "worker",
                              [] { return caf::make_message(std::string{"stillborn"}); }}),
  [](const auto& row) { return std::string{row.param.name}; });

} // namespace
} // namespace backoff_actor::remote_child_test
