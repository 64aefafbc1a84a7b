#include "takeover/play.hpp"

#include "takeover/link.hpp"
#include "takeover/node.hpp"

#include <chrono>
#include <csignal>
#include <libpq-fe.h>
#include <memory>
#include <stdexcept>
#include <thread>

namespace takeover {

namespace {

using namespace std::chrono_literals;

constexpr int start_limit = 60;     // s, for a node to come to work
constexpr int take_over_limit = 30; // s, beyond the lease
constexpr auto settle_time = 100ms; // for the standby and the owner, before a fault
constexpr auto look_interval = 2ms;

/// A session of the server's superuser.
class Control {
public:
  explicit Control(const std::string& connection)
    : session_(PQconnectdb(connection.c_str()), PQfinish) {
    if (PQstatus(session_.get()) != CONNECTION_OK)
      throw std::runtime_error(PQerrorMessage(session_.get()));
  }

  /// Runs a statement, and returns the first column of the first row.
  std::string value(const char* statement) const {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result{PQexec(session_.get(), statement),
                                                               PQclear};
    if (PQresultStatus(result.get()) != PGRES_TUPLES_OK)
      throw std::runtime_error(PQerrorMessage(session_.get()));
    return PQntuples(result.get()) == 0 ? "" : PQgetvalue(result.get(), 0, 0);
  }

  /// Waits until the answer is this one.
  bool wait_for(const char* statement, const std::string& answer,
                std::chrono::milliseconds at_most) const {
    const auto end = std::chrono::steady_clock::now() + at_most;
    while (value(statement) != answer) {
      if (std::chrono::steady_clock::now() > end)
        return false;
      std::this_thread::sleep_for(look_interval);
    }
    return true;
  }

private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> session_;
};

// Locks of sessions that wait for an outbox, of owners, and the end of an owner's session.
constexpr auto is_waited_for =
  "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
constexpr auto has_no_lock = "SELECT count(*) = 0 FROM pg_locks WHERE locktype = 'advisory'";
constexpr auto end_owner = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks "
                           "WHERE locktype = 'advisory' AND granted";

void strike(Fault fault, const Node& owner, const Control& control) {
  switch (fault) {
  case Fault::kill:
    owner.send(SIGKILL);
    break;
  case Fault::terminate:
    if (control.value(end_owner) != "1")
      throw std::runtime_error("the owner has no lock, or not one");
    break;
  case Fault::freeze:
    owner.send(SIGSTOP);
    break;
  case Fault::cut:
    set_cable(false);
    break;
  }
}

double play_once(const Scenario& scenario, const Control& control, NodeOptions options,
                 const std::string& socket) {
  if (!control.wait_for(has_no_lock, "t", std::chrono::seconds{start_limit}))
    throw std::runtime_error("a session of the round before still has a lock");
  options.name = "owner";
  options.is_first = true;
  const Node owner{options};
  if (!owner.wait_for(News::works, start_limit))
    throw std::runtime_error("the owner does not come to work");
  options.name = "standby";
  options.is_first = false;
  options.connection = socket; // a cable does not matter there
  const Node standby{options};
  if (!standby.wait_for(News::waits, start_limit)
      || !control.wait_for(is_waited_for, "t", std::chrono::seconds{start_limit}))
    throw std::runtime_error("the standby does not wait for the outbox");
  std::this_thread::sleep_for(settle_time);
  const auto begin = steady_now();
  strike(scenario.fault, owner, control);
  const auto lease = std::chrono::duration_cast<std::chrono::seconds>(options.lease);
  const auto end = standby.wait_for(News::owns, take_over_limit + static_cast<int>(lease.count()));
  if (scenario.fault == Fault::cut)
    set_cable(true);
  if (!end)
    throw std::runtime_error("no standby takes over");
  return static_cast<double>(*end - begin) / 1e6;
}

} // namespace

std::vector<double> play(const example::PrivatePostgres& server, const std::string& database,
                         const Scenario& scenario, backoff_actor::Duration lease) {
  const Control control{server.socket_connection(database)};
  std::vector<double> times;
  for (std::uint64_t round = 0; round < scenario.rounds; ++round) {
    NodeOptions options;
    options.connection = server.connection(database);
    options.outbox = "outbox-" + std::to_string(static_cast<int>(scenario.fault))
                     + (scenario.with_sender ? "-sender-" : "-store-") + std::to_string(round);
    options.lease = lease;
    options.with_sender = scenario.with_sender;
    times.push_back(
      play_once(scenario, control, std::move(options), server.socket_connection(database)));
  }
  return times;
}

} // namespace takeover
