// remote_pair: requests to an actor on another node, through CAF alone, the door, and TLS.

#include "common/certificates.hpp"
#include "common/command_line.hpp"
#include "common/table.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/remote/listen.hpp>
#include <backoff_actor/caf/remote/network.hpp>
#include <backoff_actor/caf/remote/remote_actor.hpp>

#include <caf/io/middleman.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace remote_pair {

namespace {

using namespace backoff_actor;

constexpr auto description =
  R"(Measures requests to an actor of another actor system, over 127.0.0.1: how many a second with
many in flight, and how long one takes with one in flight.

"CAF alone" uses the functions of CAF's middleman. "door" uses listen and remote_actor without TLS,
"TLS" with certificates of an elliptic curve. All three have the same heartbeats. The program
interleaves the rounds, and prints medians and ratios to CAF alone of the same round.
)";

constexpr auto footer = R"(
Examples:
  remote_pair
  remote_pair --bytes 100000 --requests 2000
  remote_pair --json

Exit codes:
  0    done
  1    failed
  2    bad input; nothing was run
)";

enum Kind : std::size_t { caf_alone, door, tls, kinds };
constexpr std::array<const char*, kinds> names{"CAF alone", "door", "TLS"};

class Echo : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const std::string& text) { return text; }};
  }
};

class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, caf::actor receiver, std::uint64_t requests,
         std::uint64_t window, std::uint64_t bytes, std::shared_ptr<std::promise<bool>> when_done)
    : caf::event_based_actor(config), receiver_(std::move(receiver)), to_send_(requests),
      to_come_(requests), window_(std::min(window, requests)), text_(bytes, 'x'),
      done_(std::move(when_done)) {}

  caf::behavior make_behavior() override {
    for (std::uint64_t i = 0; i < window_; ++i)
      ask_one();
    return {};
  }

  void on_exit() override { receiver_ = nullptr; }

private:
  void ask_one() {
    --to_send_;
    request(receiver_, caf::infinite, text_)
      .then(
        [this](const std::string&) {
          if (--to_come_ == 0)
            done_->set_value(true);
          else if (to_send_ > 0)
            ask_one();
        },
        [this](const caf::error&) {
          done_->set_value(false);
          quit();
        });
  }

  caf::actor receiver_;
  std::uint64_t to_send_;
  std::uint64_t to_come_;
  std::uint64_t window_;
  std::string text_;
  std::shared_ptr<std::promise<bool>> done_;
};

/// The certificates of both nodes.
struct Certificates {
  Certificates() {
    const test::Authority authority{"benchmark"};
    authority.write(folder.path_of("authority.pem"));
    of_node = test::issue_to_node(folder, "node", {}, authority);
  }

  test::CertificateFolder folder;
  Tls of_node;
};

/// Two nodes, one of which has found the other's actor.
class Pair {
public:
  Pair(Kind kind, const Certificates& certificates) {
    for (auto* const config : {&there_config_, &here_config_}) {
      NetworkOptions options;
      if (kind == tls)
        options.tls = certificates.of_node;
      init_network(*config, options);
    }
    there_.emplace(there_config_);
    here_.emplace(here_config_);
    echo_ = there_->spawn<Echo>();
    if (kind == caf_alone) {
      const auto port = there_->middleman().publish(echo_, 0, "127.0.0.1");
      auto found = port ? here_->middleman().remote_actor("127.0.0.1", *port) : port.error();
      if (!found)
        throw std::runtime_error("CAF cannot connect: " + render(*here_, found.error()));
      found_ = *found;
    } else {
      listener_.emplace(listen(*there_, {.published = echo_}));
      found_ = remote_actor(*here_, {"127.0.0.1", listener_->port()});
    }
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    found_ = nullptr;
    caf::anon_send_exit(echo_, caf::exit_reason::user_shutdown);
    echo_ = nullptr;
  }

  /// Returns how many seconds so many requests take.
  double seconds(std::uint64_t requests, std::uint64_t window, std::uint64_t bytes) {
    const auto done = std::make_shared<std::promise<bool>>();
    const auto begin = std::chrono::steady_clock::now();
    here_->spawn<Client>(found_, requests, window, bytes, done);
    if (!done->get_future().get())
      throw std::runtime_error("a request was not answered");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return took.count();
  }

private:
  caf::actor_system_config there_config_;
  caf::actor_system_config here_config_;
  std::optional<caf::actor_system> there_;
  std::optional<caf::actor_system> here_;
  std::optional<Listener> listener_;
  caf::actor echo_;
  caf::actor found_;
};

struct Options {
  std::uint64_t requests = 20'000;
  std::uint64_t rounds = 7;
  std::uint64_t bytes = 100;
  std::uint64_t window = 100;
};

struct Row {
  double per_second;
  double microseconds; // of one request alone
  double speed_ratio;  // to CAF alone
  double time_ratio;
};

std::array<Row, kinds> measure(const Options& options) {
  const Certificates certificates;
  std::array<std::vector<double>, kinds> speeds;
  std::array<std::vector<double>, kinds> times;
  for (std::uint64_t round = 0; round < options.rounds; ++round)
    for (std::size_t i = 0; i < kinds; ++i) {
      Pair pair{static_cast<Kind>(i), certificates};
      pair.seconds(std::min<std::uint64_t>(options.requests, 100), options.window, options.bytes);
      const auto many = pair.seconds(options.requests, options.window, options.bytes);
      speeds[i].push_back(static_cast<double>(options.requests) / many);
      const auto few = std::max<std::uint64_t>(options.requests / 20, 1);
      times[i].push_back(1e6 * pair.seconds(few, 1, options.bytes) / static_cast<double>(few));
    }
  std::array<Row, kinds> rows{};
  for (std::size_t i = 0; i < kinds; ++i) {
    std::vector<double> speed_ratios;
    std::vector<double> time_ratios;
    for (std::size_t round = 0; round < speeds[i].size(); ++round) {
      speed_ratios.push_back(speeds[i][round] / speeds[caf_alone][round]);
      time_ratios.push_back(times[i][round] / times[caf_alone][round]);
    }
    rows[i] = {benchmarks::median(speeds[i]), benchmarks::median(times[i]),
               benchmarks::median(speed_ratios), benchmarks::median(time_ratios)};
  }
  return rows;
}

std::string table(const std::array<Row, kinds>& rows) {
  benchmarks::Table result{
    {"through", "requests/s", "to CAF alone", "one request, us", "to CAF alone"}};
  for (std::size_t i = 0; i < kinds; ++i)
    result.add({names[i], benchmarks::grouped(std::llround(rows[i].per_second)),
                benchmarks::with_decimals(rows[i].speed_ratio, 2),
                benchmarks::with_decimals(rows[i].microseconds, 1),
                benchmarks::with_decimals(rows[i].time_ratio, 2)});
  return result.text();
}

std::string json(const std::array<Row, kinds>& rows) {
  std::ostringstream out;
  out << R"({"benchmark": "remote_pair", "rows": [)";
  for (std::size_t i = 0; i < kinds; ++i)
    out << (i == 0 ? "\n" : ",\n") << R"(  {"through": ")" << names[i] << R"(", "requests_per_s": )"
        << rows[i].per_second << R"(, "speed_ratio": )" << rows[i].speed_ratio
        << R"(, "request_us": )" << rows[i].microseconds << R"(, "time_ratio": )"
        << rows[i].time_ratio << '}';
  out << "\n]}\n";
  return out.str();
}

} // namespace

} // namespace remote_pair

int main(int argc, char** argv) {
  remote_pair::Options options;
  bool as_json = false;
  benchmarks::CommandLine command_line{"remote_pair", remote_pair::description,
                                       remote_pair::footer};
  command_line.number("--requests", options.requests, 1, 10'000'000, "requests in a round");
  command_line.number("--rounds", options.rounds, 1, 1001,
                      "number of rounds; the medians are printed");
  command_line.number("--bytes", options.bytes, 1, 10'000'000, "bytes in a request");
  command_line.number("--window", options.window, 1, 1'000'000, "requests in flight");
  command_line.flag("--json", as_json, "print JSON");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  try {
    const auto rows = remote_pair::measure(options);
    std::cout << (as_json ? remote_pair::json(rows) : remote_pair::table(rows));
  } catch (const std::exception& error) {
    std::cerr << "remote_pair: " << error.what() << '\n';
    return benchmarks::exit_failed;
  }
  return benchmarks::exit_done;
}
