#include "takeover/play.hpp"

#include "postgres/server.hpp"
#include "takeover/link.hpp"
#include "takeover/node.hpp"

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

namespace takeover {

namespace {

using namespace std::chrono_literals;
using postgres_benchmarks::SqlSession;

constexpr int start_limit = 60;     // s, for a node to come to work
constexpr int take_over_limit = 30; // s, beyond the lease
constexpr auto settle_time = 100ms; // for the standby and the owner, before a fault
constexpr auto look_interval = 2ms;

// Waits until the answer to a query is this one.
bool wait_for(SqlSession& control, const char* query, const std::string& answer,
              std::chrono::milliseconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (control.query(query) != answer) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(look_interval);
  }
  return true;
}

// Locks of sessions that wait for an outbox, of owners, and the end of an owner's session.
constexpr auto is_waited_for =
  "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
constexpr auto has_no_lock = "SELECT count(*) = 0 FROM pg_locks WHERE locktype = 'advisory'";
constexpr auto end_owner = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks "
                           "WHERE locktype = 'advisory' AND granted";

void strike(Fault fault, const Node& owner, SqlSession& control) {
  switch (fault) {
  case Fault::kill:
    owner.send(SIGKILL);
    break;
  case Fault::terminate:
    if (control.query(end_owner) != "1")
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

double play_once(Fault fault, SqlSession& control, NodeOptions options, const std::string& socket) {
  if (!wait_for(control, has_no_lock, "t", std::chrono::seconds{start_limit}))
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
      || !wait_for(control, is_waited_for, "t", std::chrono::seconds{start_limit}))
    throw std::runtime_error("the standby does not wait for the outbox");
  std::this_thread::sleep_for(settle_time);
  const auto begin = steady_now();
  strike(fault, owner, control);
  const auto lease = std::chrono::duration_cast<std::chrono::seconds>(options.lease);
  const auto end = standby.wait_for(News::owns, take_over_limit + static_cast<int>(lease.count()));
  if (fault == Fault::cut)
    set_cable(true);
  if (!end)
    throw std::runtime_error("no standby takes over");
  return static_cast<double>(*end - begin) / 1e6;
}

} // namespace

std::vector<double> play(const example::PrivatePostgres& server, const std::string& database,
                         const Faults& faults) {
  SqlSession control{server.socket_connection(database), "SELECT"};
  std::vector<double> times;
  for (std::uint64_t round = 0; round < faults.rounds; ++round) {
    NodeOptions options;
    options.connection = server.connection(database);
    options.outbox = "outbox-" + std::to_string(static_cast<int>(faults.fault))
                     + (faults.with_sender ? "-sender-" : "-store-") + std::to_string(round);
    options.lease = faults.lease;
    options.with_sender = faults.with_sender;
    times.push_back(
      play_once(faults.fault, control, std::move(options), server.socket_connection(database)));
  }
  return times;
}

} // namespace takeover
