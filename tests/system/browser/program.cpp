// page_program: a program to be seen and acted on in a browser. It prints `port N` and obeys lines
// from its input until that ends.
//
// usage: page_program many              10,000 senders without actors, which change all the time
//        page_program actors [TOKEN]    senders with actors, a guard, and dead letters
//        page_program tls TOKEN         the same by HTTPS, at all addresses of this machine; after
//                                       the port it prints `key HASH`, of a key made for this run
//        page_program tree              senders below supervisors, and one that is not
//
// Lines: `crash`: the worker of the sender `orders` crashes, and is not there for ten seconds.
// `retry`: it is there at once, and does it. `mend`: the sender `parser` can do what it could not.
// `done`: the program prints how many it has done.

#include <backoff_actor/backoff_actor.hpp>

#include "backoff_actor/retry/steady_clock.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"
#include "backoff_actor/web/web_server.hpp"

#include "common/certificates.hpp"

#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using namespace backoff_actor;
using namespace std::chrono_literals;

constexpr std::size_t many = 10'000;

// Senders of four kinds. Those of each tenth number are down, some are paused or held back, and
// some of the others work. Three of the kinds are below two supervisors. These are below a third.
class Many {
public:
  explicit Many(const Observatory& observatory) {
    constexpr const char* kinds[] = {"invoices", "mail", "orders", "search_index"};
    for (std::size_t i = 0; i != many; ++i)
      seats_.push_back(
        std::make_unique<detail::SenderSeat>(observatory.state()->senders(kinds[i % 4]), i + 1));
    supervise(observatory);
    glances_.resize(many);
    begin_ = SteadyClock{}.now();
    thread_ = std::thread{[this] {
      while (!is_over_) {
        change();
        std::this_thread::sleep_for(100ms);
      }
    }};
  }
  Many(const Many&) = delete;
  Many& operator=(const Many&) = delete;
  ~Many() {
    is_over_ = true;
    thread_.join();
  }

private:
  void supervise(const Observatory& observatory) {
    auto& state = *observatory.state();
    std::uint64_t number = many;
    for (const auto* const name : {"shop", "billing", "mailing"})
      supervisors_.push_back(std::make_unique<detail::SupervisorSeat>(
        state.supervisors(name), state.families(), ActorName{name, ++number}));
    const auto& [shop, billing, mailing] =
      std::tie(supervisors_[0], supervisors_[1], supervisors_[2]);
    const auto running = static_cast<std::size_t>(ChildState::running);
    shop->add_child(many + 2);
    shop->add_child(many + 3);
    shop->set_children(running, 2);
    for (std::size_t i = 0; i != many; ++i)
      if (i % 4 != 3)
        (i % 4 == 1 ? mailing : billing)->add_child(i + 1);
    billing->set_children(running, many / 2);
    mailing->set_children(running, many / 4);
  }

  void change() {
    const auto now = SteadyClock{}.now();
    ++round_;
    for (std::size_t i = 0; i != many; ++i) {
      auto& glance = glances_[i];
      if (i % 10 == 9) {
        glance.phase = Phase::waiting;
        glance.owed = 1 + i % 90;
        glance.oldest_since = begin_ + -1s * static_cast<int>(i % 600);
        glance.due = now + 1s * static_cast<int>(1 + (i + round_) % 9);
        glance.is_delayed = true;
        ++glance.counters.crashes;
        seats_[i]->note_cause("connection refused", now);
      } else if (i % 5000 == 13 || i % 5000 == 3) {
        glance.phase = Phase::running;
        glance.owed = 3 + i % 40;
        glance.oldest_since = begin_ + -1s * static_cast<int>(i % 300);
        (i % 5000 == 3 ? glance.is_paused : glance.is_held_back) = true;
      } else if ((i + round_) % 5 == 0) {
        glance.phase = Phase::running;
        glance.counters.acknowledged += i % 7;
        glance.owed = i % 3;
        glance.oldest_since = glance.owed == 0 ? Instant::never() : now;
      } else {
        continue;
      }
      seats_[i]->publish(glance, now);
    }
  }

  std::vector<std::unique_ptr<detail::SenderSeat>> seats_;
  std::vector<std::unique_ptr<detail::SupervisorSeat>> supervisors_;
  std::vector<SenderGlance> glances_;
  Instant begin_{};
  std::size_t round_ = 0;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

void say(const std::string& line) { std::cout << line << std::endl; }

WebOptions web_options(const std::string& token = {}) {
  WebOptions result;
  result.port = 0;
  result.token = token;
  return result;
}

std::string port_of(const WebServer& web) { return "port " + std::to_string(web.port()); }

int run_many() {
  const Observatory observatory;
  const Many senders{observatory};
  const WebServer web{observatory, web_options()};
  say(port_of(web));
  for (std::string line; std::getline(std::cin, line);) {
  }
  return 0;
}

std::atomic<bool> is_mended = false;
std::atomic<int> done = 0;

caf::behavior parser(caf::event_based_actor*) {
  return {[](const std::string& order) {
    if (order.starts_with("poison") && !is_mended)
      throw std::runtime_error("cannot parse " + order);
    ++done;
    return order;
  }};
}

std::atomic<bool> is_done_by_hand = false; // the worker does not crash next time

caf::behavior worker(caf::event_based_actor*) {
  return {[](const std::string& order) {
    if (order == "crash" && !is_done_by_hand.exchange(false))
      throw std::runtime_error("Danger, High Voltage!");
    return order;
  }};
}

// Ends the delay of the last crash.
void retry(const caf::actor& sender) {
  is_done_by_hand = true;
  compat::enqueue(sender, RetryNow{});
}

int run_actors(const WebOptions& pages, const std::string& more = {}) {
  const Observatory observatory;
  const WebServer web{observatory, pages};
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};

  SenderOptions options;
  options.observed_by = observatory;
  options.name = "orders";
  options.backoff = parse_policy("fixed(10s)");
  const auto orders = spawn_back_off_sender(system, worker, options);
  options.name = "mail";
  const auto mail = spawn_back_off_sender(system, worker, options);
  options.name = "parser";
  options.backoff = parse_policy("fixed(1ms)");
  options.max_attempts = 2;
  options.charging = Charging::every_failure();
  const auto parsing = spawn_back_off_sender(system, parser, options);
  const SharedGuard guard{parse_guard("circuit_breaker(5 failures, open 1h)")};
  guard.observed_by(observatory, "payments");
  guard.isolate();
  // Its service has failed once.
  const SharedGuard shipping{parse_guard("circuit_breaker(1 failures, open 1h)")};
  shipping.observed_by(observatory, "shipping");
  const auto now = SteadyClock{}.now();
  shipping.failed(std::get<Permit>(shipping.admit(now, Call::first)), now);

  compat::enqueue(mail, Pause{});
  for (int i = 1; i <= 5; ++i)
    compat::enqueue(mail, "letter " + std::to_string(i));
  for (int i = 1; i <= 3; ++i)
    compat::enqueue(parsing, "poison " + std::to_string(i));
  say(port_of(web) + more);
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "crash")
      compat::enqueue(orders, std::string{"crash"});
    else if (line == "retry")
      retry(orders);
    else if (line == "mend")
      is_mended = true;
    else if (line == "done")
      say("done " + std::to_string(done));
  }
  for (const auto& sender : {orders, mail, parsing})
    caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  return 0;
}

int run_tls(const std::string& token) {
  const test::CertificateFolder folder;
  auto options = web_options(token);
  options.address = "0.0.0.0";
  options.tls = test::issue_to_node(folder, "server", {}, test::Authority{"page_program"});
  options.tls->authority.clear(); // who looks needs no certificate
  return run_actors(options, "\nkey " + test::hash_of_key(options.tls->certificate));
}

int run_tree() {
  const Observatory observatory;
  const WebServer web{observatory, web_options()};
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  SenderOptions options;
  options.observed_by = observatory;
  const auto sender = [&](const std::string& kind, const std::string& id) {
    options.name = kind;
    return sender_spec(id, worker, options);
  };
  SupervisorOptions mailing;
  mailing.name = "mailing";
  mailing.observed_by = observatory;
  auto shop = mailing;
  shop.name = "shop";
  std::vector<ChildSpec> children;
  children.push_back(
    supervisor_spec("mailing", {sender("mail", "a"), sender("mail", "b")}, mailing));
  children.push_back(sender("orders", "orders"));
  const auto root = spawn_supervisor(system, std::move(children), shop);
  options.name = "alone";
  const auto alone = spawn_back_off_sender(system, worker, options);
  say(port_of(web));
  for (std::string line; std::getline(std::cin, line);) {
  }
  for (const auto& actor : {root, alone})
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "many")
    return run_many();
  if (what == "actors")
    return run_actors(web_options(argc > 2 ? argv[2] : ""));
  if (what == "tls" && argc > 2)
    return run_tls(argv[2]);
  if (what == "tree")
    return run_tree();
  std::cerr << "usage: page_program many|actors|tls|tree [TOKEN]\n";
  return 2;
}
