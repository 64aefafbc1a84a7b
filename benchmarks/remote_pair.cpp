// remote_pair: requests to an actor on another node, through CAF alone, the door, and TLS.

#include "common/actors.hpp"
#include "common/certificates.hpp"
#include "common/program.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/remote/listen.hpp>
#include <backoff_actor/caf/remote/network.hpp>
#include <backoff_actor/caf/remote/remote_actor.hpp>

#include <caf/io/middleman.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>

namespace remote_pair {

namespace {

using namespace backoff_actor;

const benchmarks::Words words{
  "remote_pair",
  R"(Measures requests to an actor of another actor system, over 127.0.0.1: how many a second with
many in flight, and how long one takes with one in flight.

"CAF alone" uses the functions of CAF's middleman. "door" uses listen and remote_actor without TLS,
"TLS" with certificates of an elliptic curve. All three have the same heartbeats. The ratios are to
CAF alone in the same round.
)",
  "  remote_pair\n  remote_pair --bytes 100000 --requests 2000\n  remote_pair --json\n"};

enum Kind : std::size_t { caf_alone, door, tls, kinds };
constexpr std::array<const char*, kinds> names{"CAF alone", "door", "TLS"};

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
    echo_ = there_->spawn(benchmarks::echo);
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

  /// Returns how many requests a second are answered.
  double requests_per_second(std::uint64_t requests, std::uint64_t window, std::uint64_t bytes) {
    return benchmarks::answers_per_second(*here_, found_, {requests, window, bytes, true});
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

benchmarks::Report measure(const Options& options) {
  const Certificates certificates;
  benchmarks::Grid grid{
    {"through", "requests/s", "rate, to CAF alone", "one request, us", "time, to CAF alone"}};
  for (std::uint64_t round = 0; round < options.rounds; ++round) {
    double rate_alone = 0;
    double time_alone = 0;
    for (std::size_t i = 0; i < kinds; ++i) {
      Pair pair{static_cast<Kind>(i), certificates};
      const auto& [requests, rounds, bytes, window] = options;
      pair.requests_per_second(std::min<std::uint64_t>(requests, 100), window, bytes);
      const auto rate = pair.requests_per_second(requests, window, bytes);
      const auto few = std::max<std::uint64_t>(requests / 20, 1);
      const auto time = 1e6 / pair.requests_per_second(few, 1, bytes);
      if (i == caf_alone) {
        rate_alone = rate;
        time_alone = time;
      }
      grid.add(names[i], {rate, rate / rate_alone, time, time / time_alone});
    }
  }
  return grid.report();
}

} // namespace

} // namespace remote_pair

int main(int argc, char** argv) {
  remote_pair::Options options;
  benchmarks::Program program{remote_pair::words};
  program.number("--requests", options.requests, 1, 10'000'000, "requests in a round");
  program.number("--rounds", options.rounds, 1, 1001, "number of rounds");
  program.number("--bytes", options.bytes, 1, 10'000'000, "bytes in a request");
  program.number("--window", options.window, 1, 1'000'000, "requests in flight");
  return program.run(argc, argv, [&] { return remote_pair::measure(options); });
}
