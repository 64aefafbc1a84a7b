// cluster: an outbox in PostgreSQL that two processes share. One owns it, and is killed and frozen;
// the other takes over, and nothing is lost.

#include "backoff_actor/process/stop_signals.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"
#include "calendar.hpp"
#include "cluster.hpp"
#include "common/private_postgres.hpp"
#include "common/temporary_folder.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "records.hpp"
#include "run.hpp"
#include "shop.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cluster {

namespace {

using backoff_actor::StoreError;
using backoff_actor::StoreFailure;

constexpr std::uint64_t most_jobs_of_a_run = 1'000'000'000'000;

struct BadServer : std::runtime_error {
  using runtime_error::runtime_error;
};

// The folder of this program holds the worker too.
std::string worker_program() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cluster_worker";
}

// Says before anything starts whether the server can be used.
void look_at(const backoff_actor::PostgresAddress& address) {
  try {
    backoff_actor::postgres_outboxes(address.connection);
  } catch (const StoreError& error) {
    throw BadServer{std::string{"--postgres: "} + error.what()};
  }
}

// So long that the four children of a sender have two jobs in hand when it is killed or frozen.
backoff_actor::Duration work_of_a_job(const Options& options) {
  return std::min<backoff_actor::Duration>(
    std::chrono::milliseconds{10}, backoff_actor::Duration{std::chrono::seconds{2}} / options.rate);
}

std::string milliseconds(std::optional<Micros> span) {
  return span ? std::to_string((*span + 500) / 1000) + " ms" : "none";
}

std::string takeovers(const Run& run) {
  return std::to_string(std::count_if(run.faults.begin(), run.faults.end(),
                                      [](const auto& fault) { return fault.owned.has_value(); }));
}

std::string headline(const Verdict& verdict, const Run& run) {
  return std::to_string(verdict.confirmed) + " jobs confirmed, lost " + std::to_string(verdict.lost)
         + ", done again " + std::to_string(verdict.done_again) + "; takeovers " + takeovers(run);
}

std::string last_line(const Verdict& verdict, const Run& run) {
  return to_string(verdict) + "; takeovers " + takeovers(run) + " (kills median "
         + milliseconds(median_takeover(run.faults, Fault::Kind::kill)) + ", freezes median "
         + milliseconds(median_takeover(run.faults, Fault::Kind::freeze)) + ")";
}

int exit_code(const Verdict& verdict, const LifeVerdict& lives, const CalendarVerdict& calendar,
              const HandOver& hand_over, const Run& run, backoff_actor::StopSignals& signals) {
  if (verdict.lost + verdict.stale_accepted + verdict.out_of_order + verdict.renumbered > 0
      || lives.early + lives.done_when_gone + lives.notes_of_others + lives.notes_behind_stored > 0
      || calendar.missing + calendar.twice + calendar.early + calendar.while_paused > 0
      || hand_over.lost + hand_over.done_of_rolled_back + hand_over.out_of_order > 0)
    return exit_failed;
  return run.is_early ? 128 + signals.signal() : exit_nothing_lost;
}

// Says if there is none.
std::optional<Shop> make_shop(const std::optional<example::PrivatePostgres>& server,
                              const std::filesystem::path& folder) {
  if (!server) {
    std::cout << "without shop.py, which hands orders over: it is for a private server"
              << std::endl;
    return std::nullopt;
  }
  auto python = find_python();
  if (python)
    return std::optional<Shop>{std::in_place, *server, folder, std::move(*python)};
  std::cout << "without shop.py, which hands orders over: Python with psycopg is not installed; on "
               "Debian and Ubuntu: apt-get install python3-psycopg"
            << std::endl;
  return std::nullopt;
}

int demonstrate(const Options& options) {
  backoff_actor::StopSignals signals;
  std::signal(SIGPIPE, SIG_IGN);
  WorkerOptions base{.outbox = "jobs",
                     .rate = options.rate,
                     .lease = options.lease,
                     .work = work_of_a_job(options),
                     .has_lives = true};
  std::optional<example::PrivatePostgres> server;
  if (options.postgres.empty()) {
    if (!example::PrivatePostgres::is_installed())
      throw BadServer{"PostgreSQL is not installed; on Debian and Ubuntu: apt-get install "
                      "postgresql, or name your own server with --postgres"};
    server.emplace();
    base.connection = server->socket_connection();
    backoff_actor::migrate_postgres(base.connection);
    std::cout << "PostgreSQL runs on 127.0.0.1:" << server->port() << ", with its data in "
              << server->folder().string() << std::endl;
  } else {
    const auto address = backoff_actor::parse_postgres_address(options.postgres);
    look_at(address);
    base.connection = address.connection;
    base.outbox = address.outbox;
    // An earlier run's jobs have other numbers.
    const auto today = std::chrono::system_clock::now().time_since_epoch();
    base.first = most_jobs_of_a_run
                 * static_cast<std::uint64_t>(
                   std::chrono::duration_cast<std::chrono::minutes>(today).count() % 10'000'000);
  }

  const example::TemporaryFolder folder{"cluster"};
  Cluster cluster{folder.path(), worker_program(), base};
  auto shop = make_shop(server, folder.path());
  std::optional<Records> records;
  std::optional<Calendar> calendar;
  if (server) {
    records.emplace(*server);
    calendar.emplace(*server, *records, base.outbox);
  }
  const auto outcome =
    run(options, cluster, shop ? &*shop : nullptr, calendar ? &*calendar : nullptr, signals);
  const auto verdict = cluster.verdict();
  const auto lives = cluster.life_verdict(records ? records->notes() : std::vector<StoredNote>{});
  const auto times = calendar ? calendar->judge(cluster.service().calls()) : CalendarVerdict{};
  const auto hand_over = judge_hand_over(outcome.transactions, cluster.service().calls());
  const auto complaint = draw_picture(outcome, cluster.notes(), cluster.service().calls(),
                                      headline(verdict, outcome), options.picture);
  std::cout << (complaint.empty() ? "picture: " + options.picture.string()
                                  : "no picture: " + complaint)
            << '\n';
  if (calendar)
    std::cout << to_string(times) << '\n';
  if (shop)
    std::cout << to_string(hand_over) << '\n';
  std::cout << to_string(lives) << '\n' << last_line(verdict, outcome) << std::endl;
  if (shop && !shop->complaint().empty())
    throw std::runtime_error{shop->complaint()};
  return exit_code(verdict, lives, times, hand_over, outcome, signals);
}

} // namespace

} // namespace cluster

int main(int argc, char** argv) {
  try {
    const auto parsed = cluster::parse_options(argc, argv);
    if (const auto* code = std::get_if<int>(&parsed))
      return *code;
    return cluster::demonstrate(std::get<cluster::Options>(parsed));
  } catch (const cluster::BadServer& exception) {
    std::cerr << "cluster: " << exception.what() << '\n';
    return cluster::exit_bad_input;
  } catch (const std::exception& exception) {
    std::cerr << "cluster: " << exception.what() << '\n';
    return cluster::exit_failed;
  }
}
