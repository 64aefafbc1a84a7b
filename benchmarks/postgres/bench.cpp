#include "postgres/bench.hpp"

#include "common/machine.hpp"
#include "common/processes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>

namespace postgres_benchmarks {

namespace {

// Of a process that ends meanwhile: empty. An iterator over the stream would throw then.
std::string first_line(const std::string& file) {
  std::ifstream in{file};
  std::string result;
  std::getline(in, result);
  return result;
}

constexpr std::size_t payload_size = 256;

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

void check(PGconn* session, PGresult* result) {
  if (const auto status = PQresultStatus(result);
      status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(PQerrorMessage(session));
}

benchmarks::Words with_examples(benchmarks::Words words) {
  auto with_peers = "  " + words.name + " --peers";
  with_peers.resize(32, ' ');
  words.examples = "  " + words.name + "\n  " + words.name + " --quick --json\n" + with_peers
                   + "after './dev bench " + words.name + " --peers' has installed them\n";
  words.failures = failures;
  return words;
}

} // namespace

void need_postgres() {
  if (!example::PrivatePostgres::is_installed())
    throw std::runtime_error("PostgreSQL is not installed: apt-get install postgresql");
}

example::PrivatePostgresOptions server_options() {
  return {.settings = {{"shared_buffers", "256MB"},
                       {"max_wal_size", "2GB"},
                       {"synchronous_commit", "on"},
                       {"fsync", "on"},
                       {"max_connections", "200"}}};
}

void make_database(const example::PrivatePostgres& server, const std::string& database) {
  server.query("CREATE DATABASE " + database);
  backoff_actor::migrate_postgres(server.connection(database));
}

void in_new_database(const example::PrivatePostgres& server,
                     const std::function<void(const std::string& connection)>& work) {
  const std::string database = "bench_new";
  make_database(server, database);
  work(server.connection(database));
  server.query("DROP DATABASE " + database + " WITH (FORCE)");
}

std::shared_ptr<backoff_actor::OwnedStore>
new_outbox(const backoff_actor::PostgresAddress& address) {
  auto result = open_postgres_store(address, {.lease = std::chrono::minutes{5}});
  result->set_message_format("benchmark");
  result->for_each_owed([](const auto&) {}); // as every owner does first
  return result;
}

std::vector<backoff_actor::StoreChange> insertions(std::uint64_t first, std::uint64_t count) {
  backoff_actor::change::Insert insert{};
  insert.delivery.message = {"std::string", std::vector<std::byte>(payload_size)};
  std::vector<backoff_actor::StoreChange> result(count, insert);
  for (auto& change : result)
    std::get<backoff_actor::change::Insert>(change).delivery.id = first++;
  return result;
}

void turn_checksums_on(example::PrivatePostgres& server) {
  server.stop();
  benchmarks::output_of({example::PrivatePostgres::programs() / "pg_checksums", "--enable",
                         "--no-sync", "--pgdata=" + server.data().string()});
  server.start();
}

double session_time(pid_t server, const std::string& database) {
  const auto id = std::to_string(server);
  const auto title = "postgres: postgres " + database + ' ';
  std::ifstream children{"/proc/" + id + "/task/" + id + "/children"};
  std::set<std::string> sessions;
  for (std::string child; children >> child;)
    if (first_line("/proc/" + child + "/cmdline").starts_with(title))
      sessions.insert("/proc/" + child);
  return benchmarks::cpu_of(sessions) * 1e6;
}

SqlSession::SqlSession(const std::string& connection, const std::string& statement)
  : session_(PQconnectdb(connection.c_str()), &PQfinish) {
  if (PQstatus(session_.get()) != CONNECTION_OK)
    throw std::runtime_error(PQerrorMessage(session_.get()));
  const Result result{PQprepare(session_.get(), "it", statement.c_str(), 0, nullptr), &PQclear};
  check(session_.get(), result.get());
}

void SqlSession::run(const std::vector<std::string>& values) {
  std::vector<const char*> pointers;
  for (const auto& value : values)
    pointers.push_back(value.c_str());
  const Result result{PQexecPrepared(session_.get(), "it", static_cast<int>(values.size()),
                                     pointers.data(), nullptr, nullptr, 0),
                      &PQclear};
  check(session_.get(), result.get());
}

std::string SqlSession::query(const std::string& statements) {
  const Result result{PQexec(session_.get(), statements.c_str()), &PQclear};
  check(session_.get(), result.get());
  return PQntuples(result.get()) > 0 && PQnfields(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0)
                                                                    : std::string{};
}

std::string payload_of_a_job() {
  const std::string begin = R"({"text": ")";
  const std::string end = "\"}";
  return begin + std::string(payload_size - begin.size() - end.size(), 'x') + end;
}

ServerProgram::ServerProgram(const benchmarks::Words& words) : program_(with_examples(words)) {
  program_.number("--rounds", extent_.rounds, 1, 1001, "number of rounds");
  program_.number("--jobs", extent_.jobs, 1, 10'000'000,
                  "jobs of a peer; the sender executes ten times as many");
  program_.flag("--quick", is_quick_, "one round, and little of everything");
  program_.flag("--peers", with_peers_, "measure graphile-worker and pg-boss, too");
}

int ServerProgram::run(int argc, char** argv,
                       const std::function<void(Rows&, const Server&, const Extent&)>& measure) {
  return program_.run(argc, argv, [&] {
    need_postgres();
    if (is_quick_)
      extent_ = {1, 1, 500, 20'000, 20'000, 1'000};
    if (with_peers_) {
      extent_.peers = benchmarks::folder_of_programs() + "/peers/node";
      if (!std::filesystem::exists(extent_.peers))
        throw std::runtime_error("the peers are not installed: './dev bench' does it with --peers");
    }
    example::PrivatePostgres server{server_options()};
    turn_checksums_on(server);
    Rows rows;
    measure(rows, server, extent_);
    return compared(rows);
  });
}

double run_peer_queue(const Server& server, const std::string& folder, const std::string& queue,
                      const std::vector<std::string>& arguments, const std::string& figure,
                      const std::string& snapshot) {
  const std::string database = "bench_peer";
  server.query("CREATE DATABASE " + database);
  std::optional<SqlSession> session;
  if (!snapshot.empty())
    session.emplace(server.connection(database)).query(snapshot);
  std::vector<std::string> command{"node", folder + "/postgres_queues.js", queue,
                                   server.url(database)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto output = nlohmann::json::parse(benchmarks::output_of(command));
  session.reset();
  server.query("DROP DATABASE " + database + " WITH (FORCE)");
  return output.at(figure).get<double>();
}

void measure_beside(Rows& rows, const Server& server, const Extent& extent, const BesidePeers& it) {
  const auto peers = extent.peers.empty() ? 0 : it.peers;
  const auto row = [&](const std::string& beside) {
    return Row{it.what + ": a sender / " + beside, it.unit};
  };
  Rows result{row(peers == 1 ? peer_queues[0] : "the better of the two")};
  if (peers == 0)
    result.front().what = it.what;
  else
    result.front().goal = it.goal;
  for (std::size_t i = 0; peers > 1 && i < peers; ++i)
    result.push_back(row(peer_queues.at(i)));
  for (std::uint64_t round = 0; round < extent.rounds; ++round) {
    in_new_database(server, [&](const std::string& connection) {
      const auto ours = it.ours(connection);
      for (auto& x : result)
        x.ours.push_back(ours);
    });
    std::vector<double> beside;
    for (std::size_t i = 0; i < peers; ++i)
      beside.push_back(
        run_peer_queue(server, extent.peers, peer_queues.at(i), it.arguments, it.figure));
    if (peers > 0)
      result.front().beside.push_back(it.goal.is_at_least ? std::ranges::max(beside)
                                                          : std::ranges::min(beside));
    for (std::size_t i = 1; i < result.size(); ++i)
      result[i].beside.push_back(beside[i - 1]);
  }
  rows.insert(rows.end(), result.begin(), result.end());
}

} // namespace postgres_benchmarks
