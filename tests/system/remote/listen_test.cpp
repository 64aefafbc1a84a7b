// Where a node listens, to whom, and what strangers come to. Real sockets, real time.

#include "common/certificates.hpp"
#include "common/frames.hpp"
#include "common/patience.hpp"
#include "common/replaced_error_stream.hpp"
#include "common/tcp_server.hpp"
#include "system/remote/nodes.hpp"
#include "system/remote/remote_fixture.hpp"

namespace backoff_actor::remote_child_test {
namespace {

using Kind = NetworkEvent::Kind;
using test::TcpStream;

class NetworkLog {
public:
  // It may be called when this log is gone.
  NetworkEventHook hook() const {
    return [state = state_](const NetworkEvent& event) {
      const std::lock_guard lock{state->mutex};
      state->lines.push_back(to_string(event));
    };
  }

  // Whether a line with this text has come, or comes within patience.
  bool has(const std::string& text) const {
    return becomes_true([&] {
      const std::lock_guard lock{state_->mutex};
      return std::ranges::any_of(state_->lines,
                                 [&](const auto& x) { return x.find(text) != std::string::npos; });
    });
  }

  std::string all() const {
    const std::lock_guard lock{state_->mutex};
    std::string result;
    for (const auto& x : state_->lines)
      result.append(x).append("\n");
    return result;
  }

private:
  struct State {
    std::mutex mutex;
    Strings lines;
  };

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

class Listening : public Remote {
protected:
  Listening() { authority.write(folder.path_of("authority.pem")); }

  Tls tls(const std::string& name, const test::CertificateWish& wish = {}) {
    return tls(name, wish, authority);
  }
  Tls tls(const std::string& name, test::CertificateWish wish, const test::Authority& signer) {
    wish.subject = name;
    return test::issue_to_node(folder, name, wish, signer);
  }

  Node::Configure with(std::optional<Tls> given) {
    return [this, given](caf::actor_system_config& config) {
      auto options = calm();
      options.tls = given;
      options.on_event = network.hook();
      init_network<>(config, options);
    };
  }

  // Has a sender of that node ask the child for an answer.
  std::string ask_from(Node& node, const ChildFactory& child) {
    const auto asking = spawn_back_off_sender(*node.system, child, default_options());
    const auto result = remote_child_test::ask(*node.system, asking, std::string{"a"}).value;
    caf::anon_send_exit(asking, caf::exit_reason::user_shutdown);
    return result;
  }

  // What the first failed start of a sender says.
  std::string failure_of(Node& node, const ChildFactory& child) {
    const auto own_log = std::make_shared<EventLog>();
    auto options = default_options();
    options.on_event = [own_log, hook = own_log->hook()](const Event& event) { hook(event); };
    const auto failing = spawn_back_off_sender(*node.system, child, options);
    becomes_true([&] { return own_log->count<event::StartFailed>() != 0; });
    caf::anon_send_exit(failing, caf::exit_reason::kill);
    const auto all = own_log->all<event::StartFailed>();
    return all.empty() ? "no start has failed" : all.front().cause.text;
  }

  test::CertificateFolder folder;
  test::Authority authority{"our authority"};
  NetworkLog network;
};

} // namespace

TEST_F(Listening, with_tls_both_ways_has_children_found_and_spawned) {
  Node there{with(tls("worker-1"))};
  Node client{with(tls("billing"))};
  const auto found = there.publish_worker("w");
  const auto spawned = there.open();
  EXPECT_EQ(ask_from(client, remote_child({at(found)}, patient_steps())), "w:a");
  EXPECT_EQ(
    ask_from(client, remote_spawn({at(spawned)}, "worker", caf::make_message(std::string{"s"}))),
    "s:a");
  EXPECT_TRUE(network.has("(CN = billing)")) << network.all();
  EXPECT_TRUE(network.has("(CN = worker-1)")) << network.all();
  EXPECT_TRUE(network.has("listening 127.0.0.1:" + std::to_string(found))) << network.all();
}

TEST_F(Listening, with_tls_has_clients_find_a_published_sender) {
  Node there{with(tls("worker-1"))};
  Node client{with(tls("billing"))};
  const auto published =
    spawn_back_off_sender(*there.system, child_of<Worker>(std::string{"w"}), default_options());
  const auto port = there.publish(published);
  const auto found = remote_actor(*client.system, at(port), patient_steps());
  EXPECT_EQ(found.node(), there.system->node());
  EXPECT_EQ(remote_child_test::ask(*client.system, found, std::string{"a"}).value, "w:a");
  caf::anon_send_exit(published, caf::exit_reason::user_shutdown);
}

TEST_F(Listening, is_told_why_an_actor_cannot_be_found) {
  const auto problem = [&](const NodeAddress& node) -> std::string {
    try {
      (void)remote_actor(*here.system, node, {.step_timeout = test::patience});
    } catch (const std::exception& error) {
      return error.what();
    }
    return "it was found";
  };
  const auto nobody = free_port();
  EXPECT_EQ(problem(at(nobody)),
            to_string(at(nobody)) + ": connection refused: nothing listens there");
  Node there;
  const auto port = there.open();
  EXPECT_EQ(problem(at(port)), to_string(at(port)) + ": no actor is published there");
  EXPECT_EQ(problem({"", 0}),
            "RemoteOptions: nodes[0].host: got \"\", allowed a name or an address\n"
            "RemoteOptions: nodes[0].port: got 0, allowed 1..65535");
}

TEST_F(Listening, with_tls_refuses_who_has_no_right_certificate_and_both_sides_say_why) {
  const test::Authority other{"another authority"};
  Node there{with(tls("worker-1"))};
  const auto port = there.publish_worker("w");
  Node stranger{with(tls("stranger", {}, other))};
  EXPECT_EQ(failure_of(stranger, remote_child({at(port)}, patient_steps())),
            to_string(at(port))
              + ": it refused this node's certificate: its authority has not signed it "
                "(CN = worker-1)");
  EXPECT_TRUE(network.has("(CN = stranger): its certificate was not signed by this node's "
                          "authority, but by CN = another authority"))
    << network.all();
}

TEST_F(Listening, with_tls_and_without_say_what_may_be_wrong) {
  Node there{with(tls("worker-1"))};
  const auto port = there.publish_worker("w");
  EXPECT_THAT(failure_of(here, remote_child({at(port)}, {.step_timeout = 200ms})),
              HasSubstr("connected, but no greeting came within 200ms: frozen, not a CAF node, or "
                        "one with TLS"));
  Node plain{with({})};
  Node client{with(tls("billing"))};
  EXPECT_THAT(failure_of(client, remote_child({at(plain.publish_worker("p"))}, patient_steps())),
              ::testing::AnyOf(HasSubstr("it closed the connection in the handshake of TLS: it may "
                                         "have none"),
                               HasSubstr("it does not speak TLS")));
  EXPECT_TRUE(network.has("it speaks TLS, and this node has no TLS")) << network.all();
}

TEST_F(Listening, without_tls_is_for_this_machine_alone_unless_anybody_is_meant) {
  EXPECT_EQ(problems_of([&] { (void)listen(*here.system, {.address = "0.0.0.0"}); }),
            "ListenOptions: address: got \"0.0.0.0\", allowed 127.0.0.1 or ::1 without "
            "NetworkOptions::tls, unless plain_text_to_anybody is true");
  Node open{with({})};
  const auto everywhere =
    listen(*open.system, {.address = "0.0.0.0", .plain_text_to_anybody = true});
  EXPECT_TRUE(network.has("open_to_anybody 0.0.0.0:" + std::to_string(everywhere.port())
                          + ": without TLS, everybody who reaches this port can use the node"))
    << network.all();
  Node safe{with(tls("worker-1"))};
  const auto with_tls = listen(*safe.system, {.address = "0.0.0.0"});
  EXPECT_NE(with_tls.port(), 0);
}

TEST_F(Listening, names_all_options_that_are_wrong) {
  ListenOptions options{.address = "", .handshake_timeout = 0s, .max_connections = 0};
  options.max_unauthenticated = static_cast<std::uint32_t>(-1);
  EXPECT_EQ(problems_of([&] { (void)listen(*here.system, options); }),
            "ListenOptions: address: got \"\", allowed an address of this machine\n"
            "ListenOptions: handshake_timeout: got 0ns, allowed 1us..1h\n"
            "ListenOptions: max_unauthenticated: got -1, allowed 1..1000000\n"
            "ListenOptions: max_connections: got 0, allowed 1..1000000");
  EXPECT_THAT(problems_of([&] { (void)listen(*here.system, {.address = std::string(64, 'x')}); }),
              HasSubstr("allowed an address of this machine: "));
}

TEST_F(Listening, says_which_port_is_taken_and_what_to_call_before) {
  const auto port = here.open();
  try {
    (void)listen(*here.system, {.port = port});
    FAIL() << "it is taken";
  } catch (const std::system_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot listen at 127.0.0.1:" + std::to_string(port)
                                        + ": Address already in use"));
  }
  caf::actor_system_config config;
  init(config);
  caf::actor_system alone{config};
  EXPECT_THROW((void)listen(alone), std::runtime_error);
}

TEST_F(Listening, ends_with_its_listener_and_with_it_the_actor_is_published_no_more) {
  Node there;
  there.worker = there.system->spawn<Worker>("w");
  auto listener = listen(*there.system, {.published = there.worker});
  const auto port = listener.port();
  EXPECT_EQ(ask_from(here, remote_child({at(port)}, patient_steps())), "w:a");
  listener.close();
  EXPECT_EQ(failure_of(here, remote_child({at(port)}, patient_steps())),
            to_string(at(port)) + ": connection refused: nothing listens there");
  listener = listen(*there.system, {.port = port});
  EXPECT_EQ(failure_of(here, remote_child({at(port)}, patient_steps())),
            to_string(at(port)) + ": no actor is published there");
}

// Holds something as long as its memory is there.
class Holder : public Worker {
public:
  Holder(caf::actor_config& config, std::shared_ptr<int> held)
    : Worker(config, "w"), held_(std::move(held)) {}

private:
  std::shared_ptr<int> held_;
};

TEST_F(Listening, keeps_nothing_of_an_actor_that_was_published) {
  Node there;
  auto held = std::make_shared<int>();
  const std::weak_ptr is_held{held};
  there.worker = there.system->spawn<Holder>(std::move(held));
  auto listener = listen(*there.system, {.published = there.worker});
  EXPECT_EQ(ask_from(here, remote_child({at(listener.port())}, patient_steps())), "w:a");
  listener.close();
  there.end_worker();
  EXPECT_TRUE(becomes_true([&] { return is_held.expired(); }));
}

// Such as frames that may not come first, of no operation that exists, and above the limit.
TEST_F(Listening, strangers_do_nothing_to_a_node_and_a_sender_at_work) {
  Node there{with({})};
  Node client{with({})};
  auto options = default_options();
  options.on_event = log.hook();
  sender = spawn_back_off_sender(
    *client.system, remote_child({at(there.publish_worker("w"))}, patient_steps()), options);
  EXPECT_EQ(remote_child_test::ask(*client.system, sender, std::string{"a"}).value, "w:a");
  const auto port = there.listeners.back().port();
  for (int i = 0; i != 20; ++i) {
    TcpStream::connect(port).send(test::frame({.size = 3}));
    TcpStream::connect(port).send(test::client_greeting() + test::bytes_of({.operation = 9}));
    TcpStream::connect(port).send(test::client_greeting() + test::bytes_of({.size = 16'777'217}));
    TcpStream::connect(port).send(std::string(150'000, 'j'));
    TcpStream::connect(port);
  }
  EXPECT_EQ(remote_child_test::ask(*client.system, sender, std::string{"b"}).value, "w:b");
  EXPECT_EQ(log.count<event::ChildDown>(), 0u) << log.timeline();
  caf::anon_send_exit(std::exchange(sender, {}), caf::exit_reason::kill);
}

// A node with the hook of the library, which says a line of strangers.
class SaysLines : public Listening, public ::testing::WithParamInterface<bool> {
protected:
  void TearDown() override {
    replaced.reset();
    test::read_all(stream.reading); // what waits for a reader goes on, so that the test can end
    Listening::TearDown();
  }

  test::Ends stream = test::make_pipe();
  std::optional<test::ReplacedErrorStream> replaced;
};

TEST_P(SaysLines, a_node_that_nobody_hears_goes_on) {
  const auto set_up = [](caf::actor_system_config& config) { init_network<>(config, calm()); };
  auto there = std::make_unique<Node>(set_up);
  Node client{with({})};
  const auto port = there->publish_worker("w");
  sender = spawn_back_off_sender(*client.system, remote_child({at(port)}, patient_steps()),
                                 default_options());
  EXPECT_EQ(remote_child_test::ask(*client.system, sender, std::string{"a"}).value, "w:a");
  test::fill(stream.writing);
  if (GetParam())
    stream.reading.shut();
  replaced.emplace(stream.writing.get());
  auto stranger = TcpStream::connect(port);
  stranger.send(test::frame({.size = 3}));
  EXPECT_NE(stranger.receive_all().ending, TcpStream::Ending::silent);
  EXPECT_EQ(remote_child_test::ask(*client.system, sender, std::string{"b"}).value, "w:b");
  replaced.reset();
  test::read_all(stream.reading);
  caf::anon_send_exit(std::exchange(sender, {}), caf::exit_reason::kill);
}

INSTANTIATE_TEST_SUITE_P(on, SaysLines, ::testing::Bool(), [](const auto& x) {
  return std::string{x.param ? "an_error_stream_without_a_reader" : "a_full_error_stream"};
});

TEST_F(Listening, a_rogue_at_the_port_of_a_dead_node_does_nothing_to_the_sender_but_an_event) {
  auto there = std::make_unique<Node>(with({}));
  Node client{with({})};
  const auto port = there->publish_worker("w");
  auto greeting = remote_test::greeting_of(port);
  auto options = default_options();
  options.on_event = log.hook();
  sender =
    spawn_back_off_sender(*client.system, remote_child({at(port)}, patient_steps()), options);
  EXPECT_EQ(remote_child_test::ask(*client.system, sender, std::string{"a"}).value, "w:a");
  there.reset();
  {
    test::TcpServer rogue{[&](TcpStream& stream) {
                            stream.send(greeting + test::server_greeting());
                            stream.receive_all();
                          },
                          port};
    ASSERT_TRUE(becomes_true([&] { return rogue.accepted() >= 3; }));
    EXPECT_TRUE(network.has("it sent a handshake of a server in the middle of a connection"))
      << network.all();
  }
  there = std::make_unique<Node>(with({}));
  there->publish_worker("w", port);
  EXPECT_EQ(remote_child_test::ask(*client.system, sender, std::string{"b"}).value, "w:b");
  caf::anon_send_exit(std::exchange(sender, {}), caf::exit_reason::kill);
}

} // namespace backoff_actor::remote_child_test
