// A small service as it would be deployed: it packs orders, keeps them in a file until they are
// packed, writes a log, and stops in order when SIGTERM comes.
//
//     order_service orders.db tea piano milk   takes three orders, and packs until told to stop
//     order_service orders.db                  goes on with what is left of them
//
// A real service takes its orders from a socket; this one takes them from its command line.

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/store/sqlite_store.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

// [type]
struct Order {
  std::uint32_t number = 0;
  std::string item;
};

auto inspect(auto& f, Order& x) {
  using namespace backoff_actor::compat;
  return object(f, x, "Order", field("number", x.number), field("item", x.item));
}

CAF_BEGIN_TYPE_ID_BLOCK(shop, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(shop, (Order))
CAF_END_TYPE_ID_BLOCK(shop)
// [type]

void say(const std::string& line) { std::cout << line + '\n' << std::flush; }

// [worker]
caf::behavior packer(caf::event_based_actor*) {
  return {[](const Order& order) -> caf::result<std::string> {
    static bool has_broken = false;
    say("packing " + order.item);
    if (order.item == "sand") // an answer: the order becomes a dead letter
      return caf::make_error(caf::sec::invalid_argument, "no box holds sand");
    if (order.item == "glass" && !std::exchange(has_broken, true)) // a crash: tried again
      throw std::runtime_error("the glass broke");
    if (order.item == "piano")
      std::this_thread::sleep_for(2s);
    say("packed " + order.item);
    return "packed " + order.item;
  }};
}
// [worker]

// [log]
void write_log(const backoff_actor::Event& event) {
  if (severity_of(event) >= backoff_actor::Severity::info)
    std::clog << line_of(event, std::chrono::system_clock::now()) + '\n';
}
// [log]

// [sender]
caf::actor start_packer(caf::actor_system& system, const std::string& file) {
  backoff_actor::SenderOptions options;
  options.name = "packer";
  options.on_event = write_log;
  options.backoff = backoff_actor::parse_policy("exponential(100ms, x2, cap 30s) | full_jitter");
  options.ack_timeout = 1min;
  options.max_in_flight = 1; // so that a stop waits for one order, and leaves the rest in the file
  options.outbox = {backoff_actor::open_sqlite_store(file), backoff_actor::durable<Order>()};
  say("orders left from before: " + std::to_string(options.outbox.suspended()));
  return spawn_back_off_sender(system, backoff_actor::child_of<caf::detached>(packer), options);
}
// [sender]

// Returns whether the sender has taken all orders.
bool submit(caf::actor_system& system, const caf::actor& sender,
            const std::vector<std::string>& items) {
  caf::scoped_actor self{system};
  std::uint32_t taken = 0;
  for (const auto& item : items) {
    const Order order{.number = taken + 1, .item = item};
    self
      ->request(
        sender, caf::infinite,
        backoff_actor::Submit{.message = caf::make_message(order), .answer_when_accepted = true})
      .receive(
        [&](const backoff_actor::Accepted&) { // it is in the file now
          say("took " + item);
          ++taken;
        },
        [&](const caf::error& error) { say(backoff_actor::render(system, error)); });
  }
  return taken == items.size();
}

// [serve]
int serve(const std::string& file, const std::vector<std::string>& items) {
  caf::actor_system_config config;
  backoff_actor::init<caf::id_block::shop>(config);
  caf::actor_system system{config};
  backoff_actor::GracefulShutdown shutdown{system, {.grace = 15s}};

  const auto sender = start_packer(system, file);
  shutdown.add(sender);
  if (!submit(system, sender, items))
    backoff_actor::GracefulShutdown::request();
  return shutdown.wait_and_stop(); // 0, 1 or 130
}
// [serve]

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::cerr << "usage: order_service FILE [ITEM ...]\n";
    return 2;
  }
  try {
    return serve(argv[1], {argv + 2, argv + argc});
  } catch (const backoff_actor::StoreError& error) {
    std::cerr << "order_service: " << error.what() << '\n';
    return 2;
  }
}
