#pragma once

// A thin layer over libpq: never blocks in libpq itself, and sends several statements in one round
// trip.

#include "backoff_actor/store/postgres/internal/pg_target.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <libpq-fe.h>

namespace backoff_actor::detail {

// The server refused a statement. It has changed nothing, and the session goes on.
struct PgRefusal : std::exception {
  PgRefusal(std::string sqlstate, std::string said)
    : state(std::move(sqlstate)), text(std::move(said)) {}
  const char* what() const noexcept override { return text.c_str(); }

  std::string state; // the SQLSTATE
  std::string text;  // in the server's words
};

// The session is over. Nobody knows whether the server did what it was asked last.
struct PgLost : std::exception {
  explicit PgLost(std::string said) : text(std::move(said)) {}
  const char* what() const noexcept override { return text.c_str(); }

  std::string text; // without a secret
};

// A wait was interrupted. The session is in the middle of something, and of no more use.
struct PgInterrupted : std::exception {};

// Ends waits of other threads.
//
// @thread `raise` and `is_raised` from any thread
class PgInterrupt {
public:
  PgInterrupt();
  PgInterrupt(const PgInterrupt&) = delete;
  PgInterrupt& operator=(const PgInterrupt&) = delete;
  ~PgInterrupt();

  // From now on and for good.
  void raise();
  bool is_raised() const { return is_raised_.load(); }
  int fd() const { return fd_; } // readable once it is raised

private:
  int fd_;
  std::atomic<bool> is_raised_{false};
};

// The rows that a statement returned, in the binary format.
class PgRows {
public:
  explicit PgRows(PGresult* result) : result_(result) {}

  int size() const { return PQntuples(result_.get()); }
  // How many rows the statement has changed.
  std::uint64_t changed() const;
  bool is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }
  std::string_view bytes(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }
  std::string text(int row, int column) const { return std::string{bytes(row, column)}; }
  std::int64_t number(int row, int column) const;
  std::optional<std::int64_t> optional_number(int row, int column) const;
  bool is_true(int row, int column) const { return number(row, column) != 0; }

private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

// A statement, to be prepared once in each session if it has a name.
struct PgStatement {
  const char* name; // null: it is sent whole each time
  const char* sql;
  std::vector<unsigned> types{}; // of its parameters, see `pg_type`
};

// A statement with its parameters, in the binary format.
struct PgCall {
  const PgStatement* statement;
  std::vector<std::string> values{};
};

// How to connect.
struct PgConnecting {
  Duration timeout{};             // for each host
  std::string application_name{}; // for people who look at the server's sessions
  Duration lease{};               // the client gives up a connection that is silent for so long
  bool is_to_write = true;        // a server that is read-only is not the right one
};

// A session on a server. Its search path has what PostgreSQL itself brings, and nothing else.
//
// @thread one at a time
class PgConnection {
public:
  // Tries the hosts in their order.
  //
  // @param interrupt ends waits; null: nobody does
  // @errors throws `StoreError`, `PgInterrupted`
  PgConnection(const PgTarget& target, const PgConnecting& how, const PgInterrupt* interrupt);
  PgConnection(const PgConnection&) = delete; // its address is libpq's
  PgConnection& operator=(const PgConnection&) = delete;

  // From now on nobody interrupts its waits.
  void let_nobody_interrupt() { interrupt_ = nullptr; }

  // The number of the server's process, as that process says itself.
  int pid() const { return pid_; }

  // Prepares statements, in one round trip.
  void prepare(std::span<const PgStatement* const> statements);

  // Makes the calls in one round trip, as one transaction.
  //
  // @errors throws `PgRefusal` if one of them was refused: then none was made. Throws `PgLost`,
  //         `PgInterrupted`
  std::vector<PgRows> run(std::span<const PgCall> calls);
  PgRows run(const PgCall& call);

  // Whether the last commit may not be on a replica that it had to wait for: somebody cancelled the
  // wait. Then it is the server's own business that it was made. Forgets it.
  bool take_unreplicated() { return std::exchange(is_unreplicated_, false); }

  // Waits until the server notifies this session. Notifications that came before end it at once.
  //
  // @errors throws `PgLost`, `PgInterrupted`
  void wait_for_notification(Duration at_most);

  // Runs statements as one text, without looking at what they return. Errors as `run`.
  void run_script(const std::string& statements);

private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  using Connection = std::unique_ptr<PGconn, Finish>;
  using Clock = std::chrono::steady_clock;

  struct Reply {
    std::vector<PgRows> rows{};
    std::optional<PgRefusal> refusal{}; // the first
  };

  Connection connect(const PgHost& host, const PgTarget& target, const PgConnecting& how);
  static void take_notice(void* connection, const PGresult* notice);
  void check_server(const PgTarget& target, const PgConnecting& how);
  void begin(const PgTarget& target);
  bool wait(PGconn* connection, short events, Clock::time_point until);
  void flush();
  void await_input();
  Reply read_reply();
  [[noreturn]] void lose(const std::string& why = {});

  const PgInterrupt* interrupt_;
  std::string password_;
  Connection connection_{};
  int pid_ = 0;
  bool is_unreplicated_ = false;
};

} // namespace backoff_actor::detail
