#include "system/remote/nodes.hpp"
#include "common/patience.hpp"

#include <backoff_actor/caf/actor/internal/requesting_actor.hpp>
#include <backoff_actor/caf/compat/internal/caf_parts.hpp>
#include <backoff_actor/caf/messages/internal/own_words.hpp>
#include <caf/actor_cast.hpp>
#include <caf/io/middleman.hpp>

#include <future>
#include <stdexcept>
#include <utility>

namespace backoff_actor::remote_test {

namespace {

using test::patience;

class Asker : public compat::RequestingActor {
public:
  Asker(caf::actor_config& actor_config, caf::actor whom, caf::message content,
        std::shared_ptr<std::promise<caf::message>> answer)
    : RequestingActor(actor_config), whom_(std::move(whom)), content_(std::move(content)),
      answer_(std::move(answer)) {}

  caf::behavior make_behavior() override {
    make_request(1, whom_, std::move(content_), compat::Priority::normal);
    return complete([](const WakeUp&) {});
  }

private:
  void on_response(std::uint64_t, caf::message&& content, const caf::strong_actor_ptr&) override {
    answer_->set_value(std::move(content));
    quit();
  }

  void on_down(const caf::actor_addr&, const caf::error&) override {}

  caf::actor whom_;
  caf::message content_;
  std::shared_ptr<std::promise<caf::message>> answer_;
};

// As CAF does it: any program with CAF may be a node.
std::uint16_t port_of_caf(caf::actor_system& system, const caf::actor& published) {
  const auto port = published ? system.middleman().publish(published, 0, "127.0.0.1")
                              : system.middleman().open(0, "127.0.0.1");
  if (!port)
    throw std::runtime_error("no port to listen at");
  return *port;
}

} // namespace

caf::behavior Clerk::make_behavior() {
  return {[](const Order& order) { return Receipt{order.number}; }};
}

Node::Node(const NetworkOptions& options, const Step& configure) {
  init_network<caf::id_block::remote_test>(config, options);
  if (configure)
    configure(*this);
  system.emplace(config);
}

Node::Node(NotSetUp) : is_set_up_(false) {
  init<caf::id_block::remote_test>(config);
  io_compat::load_middleman(config, calm().heartbeat_interval, calm().connection_timeout);
  system.emplace(config);
}

Node::~Node() {
  for (const auto& x : clerks_)
    compat::send_exit_now(x, {}, caf::exit_reason::kill);
  clerks_.clear();
}

caf::actor Node::spawn_clerk() {
  const std::lock_guard lock{mutex_};
  return clerks_.emplace_back(system->spawn<Clerk>());
}

std::unique_ptr<Node> Node::without_init_network() {
  return std::unique_ptr<Node>{new Node{NotSetUp{}}};
}

std::uint16_t Node::listen() { return listen_with({}); }

std::uint16_t Node::publish_clerk() { return listen_with(spawn_clerk()); }

std::uint16_t Node::listen_with(const caf::actor& published) {
  if (!is_set_up_)
    return port_of_caf(*system, published);
  listeners.push_back(backoff_actor::listen(*system, {.published = published}));
  return listeners.back().port();
}

caf::message ask(caf::actor_system& system, const caf::actor& whom, caf::message content) {
  const auto promise = std::make_shared<std::promise<caf::message>>();
  auto answer = promise->get_future();
  const auto asker = system.spawn<Asker>(whom, std::move(content), promise);
  if (answer.wait_for(patience) == std::future_status::ready)
    return answer.get();
  compat::send_exit_now(asker, {}, caf::exit_reason::kill);
  return {};
}

caf::message connect(caf::actor_system& system, std::uint16_t port) {
  auto& door = NetworkNode::of(system)->door();
  auto socket = net::connect(net::loopback(port), {net::Clock::now() + patience}).socket;
  auto caf = door.join(door.wire_to(std::move(socket), "127.0.0.1"), {});
  return ask(system, io_compat::broker_of(system),
             io_compat::connect_request(system, std::move(caf), port));
}

std::optional<io_compat::Connected> connected(caf::actor_system& system, std::uint16_t port) {
  auto answer = connect(system, port);
  while (io_compat::is_heartbeats_mistake(answer))
    answer = connect(system, port);
  auto result = io_compat::connected(answer);
  EXPECT_TRUE(result) << caf::to_string(answer);
  return result;
}

std::string dial(Node& node, DialOptions options) {
  const auto promise = std::make_shared<std::promise<std::string>>();
  auto answer = promise->get_future();
  const auto dial =
    Dial::start(*node.system, std::move(options), [promise](const std::string& problem) {
      promise->set_value(problem); // throws if it is called twice
    });
  if (answer.wait_for(2 * patience) == std::future_status::ready) // than any limit
    return answer.get();
  dial->cancel();
  return "nothing was said";
}

std::string greeting_of(std::uint16_t port) {
  auto stream = TcpStream::connect(port);
  auto result = stream.receive(io_compat::greeting_header_size).bytes;
  const auto header = io_compat::read_greeting_header(
    std::as_bytes(std::span<const char, io_compat::greeting_header_size>{result}));
  if (!header)
    throw std::runtime_error("no greeting");
  return result + stream.receive(header->payload_size).bytes;
}

} // namespace backoff_actor::remote_test
