#include "backoff_actor/store/postgres/internal/pg_reading.hpp"

#include "backoff_actor/store/postgres/internal/pg_statements.hpp"
#include "backoff_actor/store/postgres/internal/pg_values.hpp"

#include "backoff_actor/delivery/store_error.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace backoff_actor::detail {

namespace {

// A process that stands by takes an owner for frozen that takes longer than the lease for a part.
constexpr std::int64_t first_rows = 256;
constexpr std::int64_t most_rows = 8192;
constexpr std::int64_t bytes_at_once = 4 << 20;

StoreError damaged_row(const std::string& name, const std::string& what) {
  return {StoreFailure::damaged, name + ": is damaged: " + what};
}

std::uint32_t count_at(const PgRows& rows, int row, int column, const std::string& name) {
  const auto number = rows.number(row, column);
  if (number < 0 || number > std::numeric_limits<std::uint32_t>::max())
    throw damaged_row(name, "a delivery has a number outside the allowed range");
  return static_cast<std::uint32_t>(number);
}

std::int64_t size_of(const PgRows& rows, int row, int first, int last) {
  std::int64_t result = 0;
  for (auto column = first; column <= last; ++column)
    result += static_cast<std::int64_t>(rows.bytes(row, column).size());
  return result;
}

StoredDelivery read_delivery(const PgRows& rows, int row, const std::string& name) {
  StoredDelivery result;
  const auto id = rows.number(row, 0);
  if (id <= 0)
    throw damaged_row(name, "a delivery has a number outside the allowed range");
  result.id = static_cast<std::uint64_t>(id);
  result.submitted_at = {rows.number(row, 1)};
  if (const auto deadline = rows.optional_number(row, 2))
    result.deadline = WallTime{*deadline};
  result.attempts = count_at(rows, row, 3, name);
  result.hand_overs = count_at(rows, row, 4, name);
  result.key = rows.text(row, 5);
  result.idempotency_key = rows.text(row, 6);
  result.message.types = rows.text(row, 7);
  const auto payload = rows.bytes(row, 8);
  const auto* const begin = reinterpret_cast<const std::byte*>(payload.data());
  result.message.bytes.assign(begin, begin + payload.size());
  result.context = rows.text(row, 9);
  return result;
}

StoredDeadLetter read_dead_letter(const PgRows& rows, int row, const std::string& name) {
  StoredDeadLetter result;
  result.delivery = read_delivery(rows, row, name);
  const auto reason = dead_letter_reason(rows.text(row, 10));
  if (!reason)
    throw damaged_row(name, "a dead letter has an unknown reason");
  result.reason = *reason;
  result.cause = rows.text(row, 11);
  result.at = {rows.number(row, 12)};
  result.text = rows.text(row, 13);
  return result;
}

// The columns that may be large.
struct LargeColumns {
  int first;
  int last;
};

constexpr LargeColumns large_of_dead_letters{5, 13};

constexpr auto no_limit = std::numeric_limits<std::size_t>::max();

// How far it is read.
struct End {
  std::uint64_t to = std::numeric_limits<std::uint64_t>::max(); // what is above is not read
  std::size_t at_most = no_limit;                               // rows
};

// Calls `take` with each row. The first column is the number, by which the next part goes on: up or
// down, as the statement has them.
template <class Take>
void read_parts(PgConnection& connection, PgCall call, std::uint64_t from, LargeColumns large,
                const Take& take, End end = {}, bool is_upwards = true) {
  auto at_most = end.at_most;
  const auto allowed = [&](std::int64_t limit) {
    return at_most < static_cast<std::size_t>(limit) ? static_cast<std::int64_t>(at_most) : limit;
  };
  auto limit = first_rows;
  while (at_most != 0) {
    limit = allowed(limit);
    call.values[1] = pg_int8(from);
    call.values[2] = pg_int8(limit);
    const auto rows = connection.run(call);
    std::int64_t bytes = 0;
    for (auto row = 0; row < rows.size(); ++row) {
      if (static_cast<std::uint64_t>(rows.number(row, 0)) > end.to)
        return;
      take(rows, row);
      bytes += size_of(rows, row, large.first, large.last);
    }
    if (rows.size() == 0 || (rows.size() < limit && bytes < bytes_at_once))
      return;
    if (at_most != no_limit)
      at_most -= static_cast<std::size_t>(rows.size());
    from = static_cast<std::uint64_t>(rows.number(rows.size() - 1, 0)) + (is_upwards ? 1 : 0);
    limit = std::clamp(bytes_at_once / (1 + bytes / rows.size()), std::int64_t{1}, most_rows);
  }
}

} // namespace

void read_pg_owed(PgConnection& connection, std::int32_t outbox, std::uint64_t from,
                  std::uint64_t to, const std::string& name,
                  const std::function<void(StoredDelivery)>& visit) {
  read_parts(connection, {&pg::read_owed, {pg_int4(outbox), {}, {}, pg_int8(bytes_at_once)}}, from,
             {5, 9}, [&](const PgRows& rows, int row) { visit(read_delivery(rows, row, name)); },
             {to});
}

void read_pg_dead_letters(PgConnection& connection, std::int32_t outbox, int schema,
                          std::uint64_t to, const std::string& name,
                          const std::function<void(StoredDeadLetter)>& visit) {
  const auto* const statement = schema > 1 ? &pg::read_dead_with_text : &pg::read_dead;
  read_parts(connection, {statement, {pg_int4(outbox), {}, {}, pg_int8(bytes_at_once)}}, 1,
             large_of_dead_letters,
             [&](const PgRows& rows, int row) { visit(read_dead_letter(rows, row, name)); }, {to});
}

void read_newest_pg_dead_letters(PgConnection& connection, std::int32_t outbox, int schema,
                                 std::uint64_t below, std::size_t at_most, const std::string& name,
                                 const std::function<void(StoredDeadLetter)>& visit) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max(); // of a bigint
  const auto* const statement =
    schema > 1 ? &pg::read_newest_dead_with_text : &pg::read_newest_dead;
  read_parts(
    connection, {statement, {pg_int4(outbox), {}, {}, pg_int8(bytes_at_once)}},
    std::min(below, most), large_of_dead_letters,
    [&](const PgRows& rows, int row) { visit(read_dead_letter(rows, row, name)); },
    {.at_most = at_most}, false);
}

DeadLetterTally count_pg_dead_letters(PgConnection& connection, std::int32_t outbox) {
  const auto rows = connection.run({&pg::count_dead, {pg_int4(outbox)}});
  return {static_cast<std::uint64_t>(rows.number(0, 0)), {rows.number(0, 1)}};
}

void read_pg_keys(PgConnection& connection, std::int32_t outbox, std::int64_t since,
                  const std::function<void(AcknowledgedKey)>& visit) {
  read_parts(connection, {&pg::read_keys, {pg_int4(outbox), {}, {}, pg_int8(since)}}, 1, {1, 1},
             [&](const PgRows& rows, int row) {
               visit({rows.text(row, 1), WallTime{rows.number(row, 2)}});
             });
}

namespace {

// What has an answer is done.
FoundMessage find_pg_answer(PgConnection& connection, std::int32_t outbox, std::int64_t since,
                            const std::string& idempotency_key) {
  const auto rows =
    connection.run({&pg::find_answer, {pg_int4(outbox), idempotency_key, pg_int8(since)}});
  FoundMessage result;
  if (rows.size() == 0)
    return result;
  result.state = MessageState::done;
  result.since = {rows.number(0, 0)};
  KeptAnswer answer;
  answer.bytes = static_cast<std::uint64_t>(rows.number(0, 1));
  answer.message.types = rows.text(0, 2);
  const auto payload = rows.bytes(0, 3);
  const auto* const begin = reinterpret_cast<const std::byte*>(payload.data());
  answer.message.bytes.assign(begin, begin + payload.size());
  result.answer = std::move(answer);
  return result;
}

} // namespace

// The rows are of one statement, and so of one moment.
FoundMessage find_pg_message(PgConnection& connection, std::int32_t outbox, int schema,
                             std::int64_t since, const std::string& idempotency_key,
                             std::uint64_t delivery, const std::string& name) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max(); // of a bigint
  FoundMessage result;
  if (idempotency_key.empty() && delivery > most)
    return result;
  if (schema >= 3 && !idempotency_key.empty())
    if (auto done = find_pg_answer(connection, outbox, since, idempotency_key);
        done.state == MessageState::done)
      return done;
  const auto rows =
    idempotency_key.empty()
      ? connection.run({&pg::find_number, {pg_int4(outbox), pg_int8(delivery)}})
      : connection.run({&pg::find_key, {pg_int4(outbox), idempotency_key, pg_int8(since)}});
  if (rows.size() == 0)
    return result;
  const auto kind = rows.number(0, 0);
  const WallTime at{rows.number(0, 2)};
  if (kind == 2)
    return {MessageState::done, 0, at};
  if (kind == 3) {
    result.state = MessageState::waiting;
    result.since = at;
    if (const auto time = rows.optional_number(0, 5))
      result.not_before = WallTime{*time};
    return result;
  }
  StoredDeadLetter letter;
  letter.delivery.id = static_cast<std::uint64_t>(rows.number(0, 1));
  letter.delivery.submitted_at = letter.at = at;
  letter.delivery.attempts = count_at(rows, 0, 3, name);
  letter.delivery.context = rows.text(0, 4);
  if (kind == 1)
    return found_owed(letter.delivery);
  const auto reason = dead_letter_reason(rows.text(0, 6));
  if (!reason)
    throw damaged_row(name, "a dead letter has an unknown reason");
  letter.reason = *reason;
  letter.cause = rows.text(0, 7);
  return found_dead(letter);
}

} // namespace backoff_actor::detail
