#include "backoff_actor/store/postgres/internal/pg_connection.hpp"

#include "backoff_actor/store/postgres/internal/pg_errors.hpp"
#include "backoff_actor/store/postgres/internal/pg_values.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace backoff_actor::detail {

namespace {

// A server that lets so much time pass without sending or taking a byte is given up. A disk that
// hangs, or a statement that waits for a lock, takes less.
constexpr std::chrono::seconds longest_silence{60};

constexpr int oldest_server = 140000;

// What others have made in a schema of the user's search path may fit a call better than what
// PostgreSQL has, and would run with the user's rights. So no statement comes before this one.
constexpr auto trust_only_the_server = "SET search_path = pg_catalog, pg_temp";

std::string seconds_of(Duration span) {
  const auto whole = std::chrono::ceil<std::chrono::seconds>(span).count();
  return std::to_string(std::max<decltype(whole)>(whole, 1));
}

std::string milliseconds_of(Duration span) {
  return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(span).count());
}

} // namespace

// -- PgInterrupt, PgRows -----------------------------------------------------------------------

PgInterrupt::PgInterrupt() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (fd_ < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make an eventfd");
}

PgInterrupt::~PgInterrupt() { close(fd_); }

void PgInterrupt::raise() {
  is_raised_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(fd_, &one, sizeof one); // it can only be full
}

std::uint64_t PgRows::changed() const {
  const std::string_view text = PQcmdTuples(result_.get());
  std::uint64_t result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

std::int64_t PgRows::number(int row, int column) const {
  return read_pg_number(bytes(row, column));
}

std::optional<std::int64_t> PgRows::optional_number(int row, int column) const {
  if (is_null(row, column))
    return std::nullopt;
  return number(row, column);
}

// -- connecting --------------------------------------------------------------------------------

PgConnection::PgConnection(const PgTarget& target, const PgConnecting& how,
                           const PgInterrupt* interrupt)
  : interrupt_(interrupt), password_(target.password) {
  std::optional<StoreError> first;
  for (const auto& host : target.hosts) {
    try {
      connection_ = connect(host, target, how);
      check_server(target, how);
      pid_ = PQbackendPID(connection_.get());
      PQsetnonblocking(connection_.get(), 1);
      begin(target);
      return;
    } catch (const StoreError& error) {
      connection_.reset();
      // That a host does not answer says less than what another one says.
      if (!first || first->failure() == StoreFailure::unreachable)
        first = error;
    }
  }
  throw *first;
}

void PgConnection::begin(const PgTarget& target) {
  try {
    run_script(trust_only_the_server);
  } catch (const PgRefusal& refusal) {
    throw pg_store_error(target.name, refusal);
  } catch (const PgLost& lost) {
    throw pg_store_error(target.name, lost);
  }
}

PgConnection::Connection PgConnection::connect(const PgHost& host, const PgTarget& target,
                                               const PgConnecting& how) {
  auto all = target.settings;
  const auto set = [&](const std::string& key, const std::string& value, bool is_default) {
    const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == key; });
    if (found == all.end())
      all.emplace_back(key, value);
    else if (!is_default)
      found->second = value;
  };
  for (const auto& [key, value] :
       {std::pair{"host", host.host}, {"hostaddr", host.address}, {"port", host.port}})
    if (!value.empty())
      set(key, value, false);
  set("application_name", how.application_name, false);
  set("client_encoding", "UTF8", false);
  if (how.is_to_write)
    std::erase_if(all, [](const auto& one) { return one.first == "target_session_attrs"; });
  if (how.lease > Duration::zero()) {
    set("tcp_user_timeout", milliseconds_of(how.lease), true);
    set("keepalives_idle", seconds_of(how.lease / 3), true);
    set("keepalives_interval", "1", true);
    set("keepalives_count", "3", true);
  }
  std::vector<const char*> keys;
  std::vector<const char*> values;
  for (const auto& [key, value] : all) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  Connection result{PQconnectStartParams(keys.data(), values.data(), 0)};
  if (!result)
    throw std::bad_alloc{};
  PQsetNoticeReceiver(result.get(), take_notice, this);
  // The server's own text may repeat what the user gave; its SQLSTATE says all.
  PQsetErrorVerbosity(result.get(), PQERRORS_SQLSTATE);
  const auto until = Clock::now() + how.timeout;
  auto state =
    PQstatus(result.get()) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING) {
    const auto events = static_cast<short>(state == PGRES_POLLING_READING ? POLLIN : POLLOUT);
    if (!wait(result.get(), events, until))
      throw StoreError(StoreFailure::unreachable, target.name
                                                    + ": cannot connect: no answer within "
                                                    + to_string(how.timeout));
    state = PQconnectPoll(result.get());
  }
  if (state != PGRES_POLLING_OK)
    throw pg_connect_error(target.name, PQerrorMessage(result.get()), password_);
  return result;
}

// A text is in the language of the server, so this one is known by where it comes from.
void PgConnection::take_notice(void* connection, const PGresult* notice) {
  const auto* const from = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);
  if (from != nullptr && std::string_view{from} == "SyncRepWaitForLSN")
    static_cast<PgConnection*>(connection)->is_unreplicated_ = true;
}

void PgConnection::check_server(const PgTarget& target, const PgConnecting& how) {
  const auto is_on = [this](const char* parameter) {
    const auto* const value = PQparameterStatus(connection_.get(), parameter);
    return value != nullptr && std::string_view{value} == "on";
  };
  if (PQserverVersion(connection_.get()) < oldest_server)
    throw StoreError(StoreFailure::cannot_open,
                     target.name + ": the server is older than PostgreSQL 14");
  if (how.is_to_write && (is_on("in_hot_standby") || is_on("default_transaction_read_only")))
    throw pg_store_error(target.name, PgRefusal{"25006", ""});
}

// -- waiting -----------------------------------------------------------------------------------

// Returns false if the time is over.
bool PgConnection::wait(PGconn* connection, short events, Clock::time_point until) {
  for (;;) {
    pollfd fds[2] = {{PQsocket(connection), events, 0},
                     {interrupt_ == nullptr ? -1 : interrupt_->fd(), POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    const auto limit = std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max());
    const auto found = poll(fds, 2, static_cast<int>(limit));
    if (found < 0 && errno != EINTR)
      return false;
    if (fds[1].revents != 0)
      throw PgInterrupted{};
    if (found > 0)
      return true;
    if (found == 0)
      return false;
  }
}

void PgConnection::lose(const std::string& why) {
  std::string text = why;
  if (text.empty()) {
    text = PQerrorMessage(connection_.get());
    text.resize(std::min(text.find('\n'), text.size()));
    if (text.empty() || (!password_.empty() && text.find(password_) != std::string::npos))
      text = "it was closed";
  }
  connection_.reset();
  throw PgLost{text};
}

// Sends what is not sent yet. The server's answers are read meanwhile: otherwise both sides could
// wait for each other with full buffers.
void PgConnection::flush() {
  for (;;) {
    const auto left = PQflush(connection_.get());
    if (left == 0)
      return;
    if (left < 0)
      return; // the answers that are there say why
    if (!wait(connection_.get(), POLLIN | POLLOUT, Clock::now() + longest_silence))
      lose("the server takes nothing");
    if (PQconsumeInput(connection_.get()) == 0)
      return;
  }
}

void PgConnection::await_input() {
  while (PQisBusy(connection_.get()) != 0) {
    if (!wait(connection_.get(), POLLIN, Clock::now() + longest_silence))
      lose("the server does not answer");
    if (PQconsumeInput(connection_.get()) == 0)
      return; // what has come before the end is still to be read
  }
}

// -- statements --------------------------------------------------------------------------------

PgConnection::Reply PgConnection::read_reply() {
  Reply reply;
  std::string last_words; // of a server that has ended the session
  auto empty = 0;
  flush();
  for (;;) {
    await_input();
    PGresult* const result = PQgetResult(connection_.get());
    if (result == nullptr) {
      if (++empty > 2) // one follows each statement
        lose(last_words);
      if (PQpipelineStatus(connection_.get()) == PQ_PIPELINE_OFF)
        break;
      continue;
    }
    empty = 0;
    PgRows rows{result};
    switch (PQresultStatus(result)) {
    case PGRES_PIPELINE_SYNC:
      if (PQstatus(connection_.get()) == CONNECTION_BAD)
        lose(last_words);
      return reply;
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY:
      reply.rows.push_back(std::move(rows));
      break;
    case PGRES_PIPELINE_ABORTED:
      break;
    default: {
      const auto* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
      const auto* const text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
      if (state == nullptr) // libpq itself: the connection is closed
        break;
      if (ends_session(state))
        last_words = text == nullptr ? state : text;
      else if (!reply.refusal)
        reply.refusal.emplace(state, text == nullptr ? "" : text);
    }
    }
  }
  if (PQstatus(connection_.get()) == CONNECTION_BAD)
    lose(last_words);
  return reply;
}

void PgConnection::prepare(std::span<const PgStatement* const> statements) {
  if (!connection_)
    throw PgLost{"it was closed before"};
  PQenterPipelineMode(connection_.get());
  for (const auto* const one : statements)
    PQsendPrepare(connection_.get(), one->name, one->sql, static_cast<int>(one->types.size()),
                  one->types.data());
  PQpipelineSync(connection_.get());
  const auto reply = read_reply();
  PQexitPipelineMode(connection_.get());
  if (reply.refusal)
    throw *reply.refusal;
}

std::vector<PgRows> PgConnection::run(std::span<const PgCall> calls) {
  if (!connection_)
    throw PgLost{"it was closed before"};
  auto* const connection = connection_.get();
  PQenterPipelineMode(connection);
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const auto& call : calls) {
    const auto count = static_cast<int>(call.values.size());
    values.clear();
    lengths.clear();
    for (const auto& one : call.values) {
      values.push_back(one.data());
      lengths.push_back(static_cast<int>(one.size()));
    }
    formats.assign(call.values.size(), 1);
    const auto& statement = *call.statement;
    if (statement.name != nullptr)
      PQsendQueryPrepared(connection, statement.name, count, values.data(), lengths.data(),
                          formats.data(), 1);
    else
      PQsendQueryParams(connection, statement.sql, count, statement.types.data(), values.data(),
                        lengths.data(), formats.data(), 1);
  }
  PQpipelineSync(connection);
  auto reply = read_reply();
  PQexitPipelineMode(connection);
  if (reply.refusal)
    throw *reply.refusal;
  if (reply.rows.size() != calls.size())
    lose("the server's answer is not complete");
  return std::move(reply.rows);
}

PgRows PgConnection::run(const PgCall& call) {
  return std::move(run(std::span<const PgCall>{&call, 1}).front());
}

void PgConnection::wait_for_notification(Duration at_most) {
  if (!connection_)
    throw PgLost{"it was closed before"};
  const auto until = Clock::now() + at_most;
  const auto take_all = [this] {
    auto result = false;
    while (auto* const one = PQnotifies(connection_.get())) {
      PQfreemem(one);
      result = true;
    }
    return result;
  };
  while (!take_all()) {
    if (!wait(connection_.get(), POLLIN, until))
      return;
    if (PQconsumeInput(connection_.get()) == 0)
      lose();
  }
}

void PgConnection::run_script(const std::string& statements) {
  if (!connection_)
    throw PgLost{"it was closed before"};
  PQsendQuery(connection_.get(), statements.c_str());
  const auto reply = read_reply();
  if (reply.refusal)
    throw *reply.refusal;
}

} // namespace backoff_actor::detail
