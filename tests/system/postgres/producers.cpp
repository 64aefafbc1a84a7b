#include "postgres/producers.hpp"

#include <backoff_actor/core/unit_random.hpp>

#include <libpq-fe.h>

#include <chrono>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace backoff_actor::system_test {

namespace {

using namespace std::chrono_literals;

// The jobs of clients have lower numbers.
constexpr std::uint64_t first_job = 1'000'000'000'000'000;
constexpr std::uint64_t jobs_of_a_producer = 1'000'000'000'000;
constexpr std::uint64_t jobs_of_a_transaction = 1000;

constexpr auto between_connections = 20ms;
constexpr auto longest_outage = 60s;

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

// A session that may end at any time.
class Session {
public:
  explicit Session(std::string connection) : connection_(std::move(connection)) {}

  /// Connects, and waits for the server if it is away.
  ///
  /// @errors throws `std::runtime_error` if it stays away.
  void connect() {
    const auto end = std::chrono::steady_clock::now() + longest_outage;
    for (;;) {
      session_.reset(PQconnectdb(connection_.c_str()));
      if (is_alive())
        return;
      if (std::chrono::steady_clock::now() > end)
        throw std::runtime_error(PQerrorMessage(session_.get()));
      std::this_thread::sleep_for(between_connections);
    }
  }

  bool is_alive() const { return session_ && PQstatus(session_.get()) == CONNECTION_OK; }

  /// Returns the SQLSTATE, empty if the server did what it was asked.
  std::string run(const char* statement, const std::vector<std::string>& values = {}) {
    std::vector<const char*> pointers;
    for (const auto& value : values)
      pointers.push_back(value.c_str());
    const Result result{PQexecParams(session_.get(), statement, static_cast<int>(values.size()),
                                     nullptr, pointers.data(), nullptr, nullptr, 0),
                        &PQclear};
    done_ = result ? PQcmdStatus(result.get()) : "";
    if (PQresultStatus(result.get()) == PGRES_COMMAND_OK)
      return {};
    const auto* const state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    return state != nullptr ? state : "lost";
  }

  /// What the server says it did last, such as `COMMIT`.
  std::string_view done() const { return done_; }

private:
  std::string connection_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> session_{nullptr, &PQfinish};
  std::string done_;
};

constexpr auto insert_order = "INSERT INTO shop_order(producer, number) VALUES($1, $2)";

constexpr auto hand_over =
  "INSERT INTO backoff.incoming(outbox, key, type, payload) "
  "VALUES($1, $2, 'order.v1', convert_to(json_build_object('order', $3::int8)::text, 'UTF8'))";

constexpr std::string_view unique_violation = "23505";

} // namespace

class Producers::Producer {
public:
  Producer(std::size_t number, const std::string& connection, std::string outbox,
           std::uint64_t keys, std::uint64_t seed, const std::atomic<bool>& is_over, Ledger& ledger)
    : number_(number), outbox_(std::move(outbox)), keys_(keys), draws_(seed, 100 + number),
      is_over_(is_over), ledger_(ledger), session_(connection) {}

  void run() {
    while (!is_over_.load()) {
      if (!session_.is_alive())
        session_.connect();
      ledger_.transactions.push_back(transaction());
      ++transaction_;
      std::this_thread::sleep_for(5ms + draw() * 40ms);
    }
  }

private:
  enum class Outcome { committed, rolled_back, unknown };

  double draw() { return draws_(drawn_++); }

  std::uint64_t draw_below(std::uint64_t end) {
    return static_cast<std::uint64_t>(draw() * static_cast<double>(end));
  }

  cluster::Transaction transaction() {
    cluster::Transaction result;
    const auto first =
      first_job + number_ * jobs_of_a_producer + transaction_ * jobs_of_a_transaction;
    for (auto jobs = 1 + draw_below(5), job = first; jobs > 0; --jobs) {
      job += draw_below(keys_) + 1;
      result.jobs.push_back(job);
    }
    const auto is_to_be_rolled_back = draw() < 0.1;
    ledger_.asked_for += is_to_be_rolled_back ? 1 : 0;
    result.begin = cluster::now();
    auto outcome = attempt(result.jobs, is_to_be_rolled_back);
    if (outcome == Outcome::unknown) {
      outcome = look_it_up();
      ++(outcome == Outcome::committed ? ledger_.found_committed : ledger_.found_rolled_back);
    }
    result.end = cluster::now();
    result.is_committed = outcome == Outcome::committed;
    return result;
  }

  Outcome attempt(const std::vector<std::uint64_t>& jobs, bool is_to_be_rolled_back) {
    auto is_well = session_.run("BEGIN").empty() && session_.run(insert_order, own_row()).empty();
    for (auto job = jobs.begin(); is_well && job != jobs.end(); ++job)
      is_well =
        session_.run(hand_over, {outbox_, std::to_string(*job % keys_), std::to_string(*job)})
          .empty();
    if (!is_well || is_to_be_rolled_back) {
      ledger_.failed += is_well ? 0 : 1;
      session_.run("ROLLBACK");
      return Outcome::rolled_back;
    }
    const auto state = session_.run("COMMIT");
    if (!session_.is_alive()) // what a dying session says is no answer
      return Outcome::unknown;
    if (!state.empty() || session_.done() != "COMMIT") {
      ++ledger_.failed;
      return Outcome::rolled_back;
    }
    return Outcome::committed;
  }

  // The old session may still be at its COMMIT. A second row with the same key waits for its end.
  Outcome look_it_up() {
    for (;;) {
      session_.connect();
      auto state = session_.run("BEGIN");
      if (state.empty())
        state = session_.run(insert_order, own_row());
      session_.run("ROLLBACK");
      if (state.empty())
        return Outcome::rolled_back;
      if (state == unique_violation)
        return Outcome::committed;
      std::this_thread::sleep_for(between_connections);
    }
  }

  std::vector<std::string> own_row() const {
    return {std::to_string(number_), std::to_string(transaction_)};
  }

  const std::uint64_t number_;
  const std::string outbox_;
  const std::uint64_t keys_;
  const Draws draws_;
  std::uint64_t drawn_ = 0;
  const std::atomic<bool>& is_over_;
  Ledger& ledger_;
  Session session_;
  std::uint64_t transaction_ = 0;
};

void make_shop(const example::PrivatePostgres& server) {
  server.query(
    "CREATE TABLE shop_order(producer int, number bigint, PRIMARY KEY(producer, number));"
    "CREATE ROLE shop LOGIN IN ROLE backoff_producer;"
    "GRANT INSERT ON shop_order TO shop");
}

void end_sessions_of_producers(const example::PrivatePostgres& server) {
  server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'shop'");
}

Producers::Producers(const std::string& connection, const std::string& outbox, std::uint64_t keys,
                     std::uint64_t seed)
  : ledgers_(count) {
  for (std::size_t number = 0; number != count; ++number)
    threads_.emplace_back([=, this] {
      auto& ledger = ledgers_[number];
      try {
        Producer{number, connection, outbox, keys, seed, is_over_, ledger}.run();
      } catch (const std::runtime_error& error) {
        ledger.complaint = error.what();
      }
    });
}

Producers::~Producers() { stop(); }

void Producers::stop() {
  is_over_.store(true);
  for (auto& thread : threads_)
    thread.join();
  threads_.clear();
}

std::vector<cluster::Transaction> Producers::transactions() const {
  std::vector<cluster::Transaction> result;
  for (const auto& ledger : ledgers_)
    result.insert(result.end(), ledger.transactions.begin(), ledger.transactions.end());
  return result;
}

std::string Producers::complaint() const {
  for (const auto& ledger : ledgers_)
    if (!ledger.complaint.empty())
      return ledger.complaint;
  return {};
}

std::string Producers::summary() const {
  std::uint64_t committed = 0;
  Ledger sum;
  for (const auto& ledger : ledgers_) {
    for (const auto& transaction : ledger.transactions)
      committed += transaction.is_committed ? 1 : 0;
    sum.asked_for += ledger.asked_for;
    sum.failed += ledger.failed;
    sum.found_committed += ledger.found_committed;
    sum.found_rolled_back += ledger.found_rolled_back;
  }
  std::ostringstream text;
  text << "transactions of " << count << " producers: committed " << committed
       << ", to be rolled back " << sum.asked_for << ", ended before their COMMIT " << sum.failed
       << ", COMMIT without an answer " << sum.found_committed + sum.found_rolled_back
       << " (of these committed " << sum.found_committed << ")";
  return text.str();
}

} // namespace backoff_actor::system_test
