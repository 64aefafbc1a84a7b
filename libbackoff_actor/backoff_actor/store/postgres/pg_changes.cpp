#include "backoff_actor/store/postgres/internal/pg_changes.hpp"

#include "backoff_actor/store/postgres/internal/pg_statements.hpp"
#include "backoff_actor/store/postgres/internal/pg_values.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace backoff_actor::detail {

namespace {

// The server takes a message of 1 GiB, with all parameters of a statement.
constexpr std::size_t largest_delivery = 1'000'000'000;

// Insertions beyond this are another statement of the same transaction. A process that stands by
// takes an owner for frozen whose statement has not come for the lease.
constexpr std::size_t bytes_of_a_statement = 1U << 20;

constexpr std::uint64_t highest_id = std::numeric_limits<std::int64_t>::max();

std::int64_t as_number(std::uint64_t id) { return static_cast<std::int64_t>(id); }

void add_context(PgArray& to, const std::string& context) {
  if (context.empty())
    to.add_null();
  else
    to.add(std::string_view{context});
}

// The columns of many deliveries.
class DeliveryColumns {
public:
  enum class Table { owed, dead };

  explicit DeliveryColumns(Table table) : table_(table) {}

  void add(const StoredDelivery& delivery, std::uint32_t attempts, std::uint32_t hand_overs,
           const std::string& context, const StoredMessage& message) {
    ids_.add(as_number(delivery.id));
    submitted_.add(delivery.submitted_at.since_epoch);
    if (delivery.deadline)
      deadlines_.add(delivery.deadline->since_epoch);
    else
      deadlines_.add_null();
    attempts_.add(std::int64_t{attempts});
    if (table_ == Table::owed)
      hand_overs_.add(std::int64_t{hand_overs});
    keys_.add(delivery.key);
    idempotency_keys_.add(delivery.idempotency_key);
    types_.add(message.types);
    payloads_.add(message.bytes);
    add_context(contexts_, context);
  }

  bool empty() const { return ids_.empty(); }
  std::size_t bytes() const {
    return payloads_.bytes() + types_.bytes() + keys_.bytes() + idempotency_keys_.bytes()
           + contexts_.bytes();
  }

  std::vector<std::string> take(std::int32_t outbox) {
    std::vector<std::string> result{pg_int4(outbox), ids_.take(), submitted_.take(),
                                    deadlines_.take(), attempts_.take()};
    if (table_ == Table::owed)
      result.push_back(hand_overs_.take());
    for (auto* const one : {&keys_, &idempotency_keys_, &types_, &payloads_, &contexts_})
      result.push_back(one->take());
    return result;
  }

private:
  Table table_;
  PgArray ids_{pg_type::int8};
  PgArray submitted_{pg_type::int8};
  PgArray deadlines_{pg_type::int8};
  PgArray attempts_{pg_type::int8};
  PgArray hand_overs_{pg_type::int8};
  PgArray keys_{pg_type::bytea};
  PgArray idempotency_keys_{pg_type::bytea};
  PgArray types_{pg_type::bytea};
  PgArray payloads_{pg_type::bytea};
  PgArray contexts_{pg_type::bytea};
};

// Why and when deliveries were given up.
struct EndColumns {
  void add(const change::Bury& bury) {
    reasons.add(to_string(bury.reason));
    causes.add(std::string_view{bury.cause});
    times.add(bury.at.since_epoch);
    texts.add(std::string_view{bury.text});
  }

  // Appends the arrays, in the order in which the statements take them.
  void append_to(std::vector<std::string>& values, bool has_texts) {
    for (auto* const one : {&reasons, &causes, &times})
      values.push_back(one->take());
    if (has_texts)
      values.push_back(texts.take());
  }

  PgArray reasons{pg_type::text};
  PgArray causes{pg_type::bytea};
  PgArray times{pg_type::int8};
  PgArray texts{pg_type::bytea};
};

} // namespace

std::size_t PgCommit::bytes() const {
  std::size_t result = 0;
  for (const auto& call : calls)
    for (const auto& value : call.values)
      result += value.size();
  return result;
}

std::uint64_t too_large_in(const StoreChange& change) {
  if (const auto* const x = std::get_if<change::SetMessage>(&change))
    return x->message.bytes.size() + x->message.types.size() > largest_delivery ? x->delivery : 0;
  const auto* const insertion = std::get_if<change::Insert>(&change);
  if (insertion == nullptr)
    return 0;
  const auto& delivery = insertion->delivery;
  const auto size = delivery.message.bytes.size() + delivery.message.types.size()
                    + delivery.key.size() + delivery.idempotency_key.size()
                    + delivery.context.size();
  return size > largest_delivery ? delivery.id : 0;
}

std::string pg_numbers(std::span<const std::uint64_t> numbers) {
  PgArray result{pg_type::int8};
  for (const auto one : numbers)
    if (one <= highest_id)
      result.add(as_number(one));
  return result.take();
}

PgChanges::PgChanges(std::int32_t outbox, const PgOutboxRow& before, bool may_have_keys,
                     bool may_have_answers, int schema)
  : outbox_(outbox), before_(before), after_(before), may_have_keys_(may_have_keys),
    may_have_answers_(may_have_answers), is_version_1_(schema == 1) {
  ++after_.commit_no;
}

// -- adding up ---------------------------------------------------------------------------------

void PgChanges::note_time(std::span<const StoreChange> changes) {
  if (!before_.keys.is_ahead_of(changes))
    return;
  const auto at = *KeyClock::newest(changes);
  before_.keys.set_back(at);
  after_.keys = before_.keys;
  set_back_to_ = at;
}

void PgChanges::add(const StoreChange& change) {
  std::visit([this](const auto& x) { make(x); }, change);
}

// Null: it is not owed, as far as is known here.
PgChanges::Sum* PgChanges::open_sum(std::uint64_t id) {
  if (id == 0 || id > after_.last_id)
    return nullptr;
  const auto [place, is_new] = places_.try_emplace(id, sums_.size());
  if (is_new)
    sums_.push_back({.id = id});
  auto& sum = sums_[place->second];
  return sum.has_ended() ? nullptr : &sum;
}

void PgChanges::make(const change::Insert& x) {
  const auto id = x.delivery.id;
  if (id <= after_.last_id || id > highest_id)
    throw std::logic_error("a delivery's number is " + std::to_string(id) + ", allowed more than "
                           + std::to_string(after_.last_id) + " and up to "
                           + std::to_string(highest_id));
  after_.last_id = id;
  has_keys_ |= !x.delivery.idempotency_key.empty();
  places_.emplace(id, sums_.size());
  if (x.is_left_in_row) { // the server makes the delivery, which is owed from then on
    has_keys_ = true;     // perhaps
    left_.push_back(&x);
    sums_.push_back({.id = id});
    return;
  }
  if (x.incoming != 0)
    incoming_.push_back(x.incoming);
  sums_.push_back({.inserted = &x.delivery, .id = id});
}

void PgChanges::make(const change::Acknowledge& x) {
  auto* const sum = open_sum(x.delivery);
  if (sum == nullptr)
    return;
  sum->is_acknowledged = true;
  sum->is_dropped = x.is_dropped;
  sum->acknowledged_at = std::max(x.at.since_epoch, after_.keys.since);
  acknowledged_.push_back(static_cast<std::size_t>(sum - sums_.data()));
  ++ended_;
}

void PgChanges::make(const change::CountAttempts& x) {
  if (auto* const sum = open_sum(x.delivery))
    sum->attempts = x.attempts;
}

void PgChanges::make(const change::CountHandOvers& x) {
  if (auto* const sum = open_sum(x.delivery))
    sum->hand_overs = x.hand_overs;
}

void PgChanges::make(const change::SetContext& x) {
  if (auto* const sum = open_sum(x.delivery))
    sum->context = &x.context;
}

void PgChanges::make(const change::SetMessage& x) {
  if (x.incoming != 0) {
    incoming_.push_back(x.incoming);
    replacing_.push_back(x.incoming);
  }
  auto* const sum = open_sum(x.delivery);
  if (sum == nullptr)
    return;
  sum->message = &x.message;
  sum->attempts = sum->hand_overs = 0;
}

void PgChanges::make(const change::Bury& x) {
  if (auto* const sum = open_sum(x.delivery)) {
    sum->buried = &x;
    ++ended_;
  }
}

void PgChanges::make(const change::ForgetKeys& x) {
  after_.keys.forget(x.before.since_epoch);
  drops_keys_ = true;
}

void PgChanges::make(const change::DropIncoming& x) {
  incoming_.push_back(x.incoming);
  if (!x.cancelled_key.empty())
    cancelled_.push_back(&x);
}

void PgChanges::make(const change::KeepAnswer& x) { answers_.push_back(&x); }

// -- statements --------------------------------------------------------------------------------

PgCommit PgChanges::take() {
  PgCommit result;
  add_fence(result);
  if (set_back_to_) // before there are later keys again
    result.calls.push_back({is_version_1_ ? &pg::set_keys_back_1 : &pg::set_keys_back,
                            {pg_int4(outbox_), pg_int8(*set_back_to_)}});
  if (set_back_to_ && may_have_answers_)
    result.calls.push_back({&pg::set_answers_back, {pg_int4(outbox_), pg_int8(*set_back_to_)}});
  add_left(result);
  add_insertions(result);
  add_acknowledgements(result);
  if (!answers_.empty())
    add_answers(result);
  add_contexts(result);
  add_messages(result);
  add_burials(result);
  add_counts(result);
  if (!replacing_.empty()) // before these rows are deleted
    result.calls.push_back({&pg::replace_incoming, {pg_int4(outbox_), pg_numbers(replacing_)}});
  if (!incoming_.empty())
    result.calls.push_back({&pg::delete_incoming, {pg_int4(outbox_), pg_numbers(incoming_)}});
  if (!cancelled_.empty())
    add_cancelled(result);
  for (auto& call : others_)
    result.calls.push_back(std::move(call));
  if (drops_keys_) {
    result.dropped_keys = result.calls.size();
    result.calls.push_back(
      {is_version_1_ ? &pg::drop_keys_1 : &pg::drop_keys,
       {pg_int4(outbox_), pg_int8(after_.keys.since), pg_int8(before_.first_key_number)}});
  }
  if (drops_keys_ && may_have_answers_) {
    result.dropped_answers = result.calls.size();
    result.calls.push_back({&pg::drop_answers, {pg_int4(outbox_), pg_int8(after_.keys.since)}});
  }
  if (looks_for_oldest_) {
    result.oldest = result.calls.size();
    result.calls.push_back({&pg::find_oldest, {pg_int4(outbox_), pg_int8(before_.oldest_id)}});
  }
  result.after = after_;
  return result;
}

void PgChanges::add_fence(PgCommit& to) const {
  PgCall call{is_version_1_ ? &pg::fence_1 : &pg::fence,
              {pg_int4(outbox_), pg_int8(after_.epoch), pg_int8(after_.commit_no),
               pg_int8(after_.last_id), pg_int8(after_.oldest_id)}};
  if (!is_version_1_)
    call.values.push_back(pg_int8(after_.keys.since));
  to.calls.push_back(std::move(call));
}

void PgChanges::add_left(PgCommit& to) const {
  if (left_.empty())
    return;
  PgArray ids{pg_type::int8};
  PgArray submitted{pg_type::int8};
  PgArray rows{pg_type::int8};
  for (const auto* const one : left_) {
    ids.add(as_number(one->delivery.id));
    submitted.add(one->delivery.submitted_at.since_epoch);
    rows.add(as_number(one->incoming));
  }
  to.calls.push_back(
    {&pg::insert_left, {pg_int4(outbox_), ids.take(), submitted.take(), rows.take()}});
}

void PgChanges::add_insertions(PgCommit& to) const {
  constexpr auto table = DeliveryColumns::Table::owed;
  DeliveryColumns columns{table};
  const auto send = [&] {
    to.calls.push_back({&pg::insert, columns.take(outbox_)});
    columns = DeliveryColumns{table};
  };
  for (const auto& sum : sums_) {
    if (sum.inserted == nullptr || sum.has_ended())
      continue;
    columns.add(*sum.inserted, sum.attempts.value_or(sum.inserted->attempts),
                sum.hand_overs.value_or(sum.inserted->hand_overs), sum.context_of_inserted(),
                sum.message_of_inserted());
    if (columns.bytes() > bytes_of_a_statement)
      send();
  }
  if (!columns.empty())
    send();
}

void PgChanges::add_acknowledgements(PgCommit& to) const {
  PgArray ids{pg_type::int8};
  PgArray times{pg_type::int8};
  PgArray keys{pg_type::bytea};
  auto has_own_keys = false;
  for (const auto place : acknowledged_) {
    const auto& sum = sums_[place];
    if (sum.inserted != nullptr && sum.inserted->idempotency_key.empty())
      continue; // it came and went
    ids.add(as_number(sum.id));
    times.add(sum.acknowledged_at);
    if (sum.is_dropped)
      keys.add(std::string_view{}); // as of one without a key
    else if (sum.inserted != nullptr)
      keys.add(std::string_view{sum.inserted->idempotency_key});
    else
      keys.add_null();
    has_own_keys |= sum.inserted != nullptr;
  }
  if (ids.empty())
    return;
  if (!may_have_keys_ && !has_own_keys) {
    to.calls.push_back({&pg::acknowledge, {pg_int4(outbox_), ids.take()}});
    return;
  }
  to.keys = to.calls.size();
  to.calls.push_back({&pg::acknowledge_keys,
                      {pg_int4(outbox_), ids.take(), times.take(), keys.take(),
                       pg_int8(before_.last_key_number), pg_int8(before_.keys.last)}});
}

void PgChanges::add_burials(PgCommit& to) const {
  PgArray ids{pg_type::int8};
  PgArray attempts{pg_type::int8};
  EndColumns ends;
  DeliveryColumns inserted{DeliveryColumns::Table::dead};
  EndColumns ends_of_inserted;
  const auto send_inserted = [&] {
    auto values = inserted.take(outbox_);
    ends_of_inserted.append_to(values, !is_version_1_);
    to.calls.push_back(
      {is_version_1_ ? &pg::insert_dead : &pg::insert_dead_with_text, std::move(values)});
    inserted = DeliveryColumns{DeliveryColumns::Table::dead};
    ends_of_inserted = {};
  };
  for (const auto& sum : sums_) {
    if (sum.buried == nullptr)
      continue;
    if (sum.inserted == nullptr) {
      ids.add(as_number(sum.id));
      attempts.add(std::int64_t{sum.buried->attempts});
      ends.add(*sum.buried);
      continue;
    }
    inserted.add(*sum.inserted, sum.buried->attempts, 0, sum.context_of_inserted(),
                 sum.message_of_inserted());
    ends_of_inserted.add(*sum.buried);
    if (inserted.bytes() > bytes_of_a_statement)
      send_inserted();
  }
  if (!inserted.empty())
    send_inserted();
  if (ids.empty())
    return;
  std::vector<std::string> values{pg_int4(outbox_), ids.take(), attempts.take()};
  ends.append_to(values, !is_version_1_);
  to.calls.push_back({is_version_1_ ? &pg::bury : &pg::bury_with_text, std::move(values)});
}

void PgChanges::add_counts(PgCommit& to) const {
  PgArray ids{pg_type::int8};
  PgArray attempts{pg_type::int8};
  PgArray hand_overs{pg_type::int8};
  const auto add = [](PgArray& array, const std::optional<std::uint32_t>& number) {
    if (number)
      array.add(std::int64_t{*number});
    else
      array.add_null();
  };
  for (const auto& sum : sums_) {
    if (sum.inserted != nullptr || sum.has_ended() || !(sum.attempts || sum.hand_overs))
      continue;
    ids.add(as_number(sum.id));
    add(attempts, sum.attempts);
    add(hand_overs, sum.hand_overs);
  }
  if (!ids.empty())
    to.calls.push_back(
      {&pg::count, {pg_int4(outbox_), ids.take(), attempts.take(), hand_overs.take()}});
}

// Before the burials: a dead letter has the last context.
void PgChanges::add_contexts(PgCommit& to) const {
  PgArray ids{pg_type::int8};
  PgArray contexts{pg_type::bytea};
  for (const auto& sum : sums_) {
    if (sum.inserted != nullptr || sum.context == nullptr || sum.is_acknowledged)
      continue;
    ids.add(as_number(sum.id));
    add_context(contexts, *sum.context);
  }
  if (!ids.empty())
    to.calls.push_back({&pg::set_contexts, {pg_int4(outbox_), ids.take(), contexts.take()}});
}

// Before the burials, as the contexts. The counts follow.
void PgChanges::add_messages(PgCommit& to) const {
  PgArray ids{pg_type::int8};
  PgArray types{pg_type::bytea};
  PgArray payloads{pg_type::bytea};
  const auto send = [&] {
    to.calls.push_back(
      {&pg::set_messages, {pg_int4(outbox_), ids.take(), types.take(), payloads.take()}});
    ids = PgArray{pg_type::int8};
    types = payloads = PgArray{pg_type::bytea};
  };
  for (const auto& sum : sums_) {
    if (sum.inserted != nullptr || sum.message == nullptr || sum.is_acknowledged)
      continue;
    ids.add(as_number(sum.id));
    types.add(sum.message->types);
    payloads.add(sum.message->bytes);
    if (types.bytes() + payloads.bytes() > bytes_of_a_statement)
      send();
  }
  if (!ids.empty())
    send();
}

void PgChanges::add_answers(PgCommit& to) const {
  PgArray keys{pg_type::bytea};
  PgArray times{pg_type::int8};
  PgArray sizes{pg_type::int8};
  PgArray types{pg_type::bytea};
  PgArray payloads{pg_type::bytea};
  const auto send = [&] {
    to.calls.push_back(
      {&pg::keep_answers,
       {pg_int4(outbox_), keys.take(), times.take(), sizes.take(), types.take(), payloads.take()}});
    keys = types = payloads = PgArray{pg_type::bytea};
    times = sizes = PgArray{pg_type::int8};
  };
  std::unordered_set<std::string_view> added; // the last answer of a key counts
  for (const auto* const one : std::views::reverse(answers_)) {
    if (!added.insert(one->idempotency_key).second)
      continue;
    keys.add(std::string_view{one->idempotency_key});
    times.add(std::max({one->at.since_epoch, before_.keys.last, after_.keys.since}));
    sizes.add(static_cast<std::int64_t>(one->answer.bytes));
    types.add(one->answer.message.types);
    payloads.add(one->answer.message.bytes);
    if (types.bytes() + payloads.bytes() + keys.bytes() > bytes_of_a_statement)
      send();
  }
  if (!keys.empty())
    send();
}

void PgChanges::add_cancelled(PgCommit& to) const {
  PgArray ids{pg_type::int8};
  PgArray keys{pg_type::text};
  for (const auto* const one : cancelled_) {
    ids.add(as_number(one->incoming));
    keys.add(std::string_view{one->cancelled_key});
  }
  to.calls.push_back({&pg::delete_cancelled, {pg_int4(outbox_), ids.take(), keys.take()}});
}

} // namespace backoff_actor::detail
