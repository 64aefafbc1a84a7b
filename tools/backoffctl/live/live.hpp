#pragma once

// A real outage: a server in a process of its own, and clients that call it, in one event loop.

#include "event_loop.hpp"
#include "http_caller.hpp"
#include "http_server.hpp"

#include "backoffctl/common/command.hpp"
#include "backoffctl/simulate/outage.hpp"

#include "backoff_actor/net/internal/socket.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace backoffctl {

/// The most clients of one process.
inline constexpr std::uint32_t most_live_clients = 100'000;

/// Returns the options that clients and outages have by default.
backoff_actor::OutageOptions live_options();

/// Declares the flags of the clients.
void declare_live_clients(Command& command, backoff_actor::OutageOptions& options);

/// Notes what is wrong with them together.
void check_live_clients(const backoff_actor::OutageOptions& options, Problems& problems);

// -- clients --------------------------------------------------------------------------------

/// What the clients' calls came to in a span of time.
struct CallCounts {
  std::uint64_t attempts = 0;             ///< that began
  std::uint64_t ok = 0;                   ///< that were answered with 2xx
  std::uint64_t errors = 0;               ///< that failed otherwise than by taking too long
  std::uint64_t timedout = 0;             ///< that took too long
  backoff_actor::Duration latency_sum{0}; ///< of those that were answered with 2xx
  backoff_actor::Duration latency_max{0};
  std::map<std::string, std::uint64_t>
    causes{}; ///< of the errors, and how many each of them caused

  /// Counts an end; returns whether it is OK.
  bool add(const CallResult& result);

  /// What caused the most errors; empty: there was none.
  std::string main_cause() const;
};

/// One line of JSON about a span of time: its end on the machine's clock, and the counts.
///
/// @param clock_s of CLOCK_MONOTONIC, which all processes of a machine have in common
std::string counts_json(const CallCounts& counts, double clock_s, double span_s);

/// Makes one call; says later whether it was well.
using CountedCall = std::function<void(std::function<void(bool is_ok)>)>;

/// Clients that are actors: each thinks, and then makes a request of a `BackOffSender` of its own,
/// whose child makes the call and answers with an error where it fails. So it is the sender that
/// retries. The actors run in the threads of an actor system. All calls are made by the one event
/// loop, so that no actor ever waits for the network.
///
/// @param call is used in the loop's thread only, and must outlive this, as must the options
/// @return they end with this
std::shared_ptr<void> make_sender_clients(EventLoop& loop,
                                          const backoff_actor::OutageOptions& options,
                                          const CountedCall& call);

/// How long a client thinks before its n-th call, as in the simulation.
backoff_actor::Duration think_time(const backoff_actor::OutageOptions& options,
                                   std::uint32_t client, std::uint64_t n);

/// Clients that each think, call, and call again for as long as it fails: those of the simulation,
/// or actors.
class Load {
public:
  /// All begin to think.
  Load(EventLoop& loop, const backoff_actor::OutageOptions& options, const HttpUrl& url);
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  /// Returns what the calls came to since this was called last.
  CallCounts take() { return std::exchange(counts_, {}); }

private:
  backoff_actor::OutageOptions options_;
  CallCounts counts_;
  HttpCaller caller_;
  CountedCall call_;
  std::shared_ptr<void> clients_; // of either kind; they end with this
};

// -- the server -----------------------------------------------------------------------------

/// Declares the flags of the server.
void declare_server(Command& command, ServerOptions& options);

/// Says on stderr if the kernel lets fewer connections wait than are wished; returns how many.
std::uint32_t tell_backlog(std::uint32_t wished);

/// Returns what is to be said if the kernel lets fewer connections wait than are wished; else
/// nothing.
///
/// @param most net.core.somaxconn, if that is known
std::optional<std::string> note_on_backlog(std::uint32_t wished, std::optional<int> most);

/// What a server did in a second that ended now.
struct ServerSecond {
  double clock_s = 0; ///< of CLOCK_MONOTONIC
  std::uint64_t concurrency = 0;
  std::uint64_t peak_concurrency = 0;
  std::uint64_t finished_for_nobody = 0;
  std::uint64_t worked_on_for_nobody = 0; ///< at its end
  std::uint16_t port = 0;
};

/// A server in a process of its own. It ends with this object, and with this process, whatever ends
/// that, also while it is stopped. It has a process group of its own, so that a Ctrl-C on the
/// terminal does not reach it.
class ServerProcess {
public:
  /// Starts it. This process must have no threads and no event loop yet.
  ///
  /// @errors throws `std::runtime_error`
  explicit ServerProcess(const ServerOptions& options);
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Kills it.
  ~ServerProcess();

  /// Tells what it does: once when it listens, and then each second. A server that ends by itself
  /// ends the loop with an exception.
  void watch(EventLoop& loop, std::function<void(const ServerSecond&)> tell);

  /// Stops it; it no longer runs when this returns.
  void stop();

  /// Lets it go on.
  void go_on();

private:
  std::string ending();

  pid_t id_ = -1;
  backoff_actor::net::Descriptor output_;
  std::unique_ptr<LoopEvent> on_output_;
};

// -- what an outage came to -----------------------------------------------------------------

/// What happened in a real outage, put together second by second from what server and clients tell.
///
/// @units clock_s: seconds of CLOCK_MONOTONIC
class OutageRecord {
public:
  /// What the clients' calls came to in a second that ended at `clock_s`.
  void add_load(double clock_s, double span_s, const CallCounts& counts);

  /// A second of the server. Those before the first of the clients' seconds are not kept.
  void add_server(const ServerSecond& second);

  /// The server was stopped.
  void stopped(double clock_s) { stopped_clock_s_ = clock_s; }

  /// The server was continued.
  void back(double clock_s) { back_clock_s_ = clock_s; }

  /// How many seconds of the clients are known.
  std::size_t size() const { return clients_.size(); }

  /// Whether the last seconds, so many, are known and without a call that failed.
  bool is_steady(std::size_t seconds) const;

  /// The seconds so far. In those in which the server was stopped it says nothing, and has what it
  /// had.
  std::vector<backoff_actor::OutageSecond> seconds() const;

  /// When what happened, after an outage.
  ///
  /// @param warm_s how many seconds at the beginning are not yet as usual
  backoff_actor::OutageTimes times(double warm_s) const;

  /// What the outage came to.
  backoff_actor::OutageSummary summary(double warm_s) const;

private:
  struct ClientSecond {
    std::uint64_t attempts = 0;
    std::uint64_t ok = 0;
    std::uint64_t failed = 0;
    double latency_sum_s = 0;
  };

  std::optional<double> begun_clock_s_; // of the first of the clients' seconds
  std::optional<double> stopped_clock_s_;
  std::optional<double> back_clock_s_;
  std::vector<ClientSecond> clients_;
  std::vector<std::optional<ServerSecond>> server_;
};

/// `recovered after 4 s`, or `not recovered within 30 s`: nothing that comes later can be found in
/// what was watched.
std::string verdict(const OutageRun& run);

/// Renders a real outage for people; the last line is the verdict.
std::string live_outage_text(const OutageRun& run);

/// Returns the picture of a real outage: calls per second, requests in the server and latency over
/// time.
pictures::Picture live_outage_plot(const OutageRun& run, const PlotRequest& plot);

} // namespace backoffctl
