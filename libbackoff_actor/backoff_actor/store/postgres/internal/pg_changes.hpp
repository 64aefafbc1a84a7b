#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/store/postgres/internal/pg_connection.hpp"
#include "backoff_actor/store/postgres/internal/pg_session.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace backoff_actor::detail {

// Statements that are made as one transaction, the fence first, and what the owner knows once they
// are made.
struct PgCommit {
  std::vector<PgCall> calls{};
  PgOutboxRow after{};                          // but for the parts below
  std::optional<std::size_t> keys{};            // which call returns the last acknowledged key
  std::optional<std::size_t> dropped_keys{};    // which returns how many forgotten keys it dropped
  std::optional<std::size_t> dropped_answers{}; // and which the same of answers
  std::optional<std::size_t> oldest{};          // which looks for the oldest delivery

  std::size_t bytes() const;
};

// Turns a batch of changes into a few statements.
//
// A change makes use of what the changes before it have done. So the changes of each delivery are
// added up first, and each delivery is in one statement only.
class PgChanges {
public:
  // @param may_have_keys whether an owed delivery may have an idempotency key
  // @param may_have_answers whether there may be answers
  // @param schema the version of the tables
  PgChanges(std::int32_t outbox, const PgOutboxRow& before, bool may_have_keys,
            bool may_have_answers, int schema);

  // Looks whether the clock was set back. Comes before `add`, with all changes.
  void note_time(std::span<const StoreChange> changes);

  // Adds a change. It must live as long as this object.
  //
  // @errors throws `std::logic_error` if the number of an insertion is not above all before it.
  void add(const StoreChange& change);

  // Adds that forgotten keys are dropped.
  void drop_keys() { drops_keys_ = true; }

  // Adds a look for the oldest delivery.
  void look_for_oldest() { looks_for_oldest_ = true; }

  // Adds a statement of another kind.
  void add(PgCall call) { others_.push_back(std::move(call)); }

  // From now on this is the highest number.
  void set_last_id(std::uint64_t last_id) { after_.last_id = last_id; }

  // How many deliveries the changes end, if all of them are owed.
  std::size_t ended() const { return ended_; }

  // Whether a delivery with an idempotency key is inserted.
  bool has_keys() const { return has_keys_; }

  // Returns the statements. Nothing may be added later.
  PgCommit take();

private:
  // What becomes of a delivery.
  struct Sum {
    const StoredDelivery* inserted = nullptr; // null: it was owed before, if at all
    std::uint64_t id = 0;
    std::optional<std::uint32_t> attempts{};
    std::optional<std::uint32_t> hand_overs{};
    const std::string* context = nullptr;   // null: it stays
    const StoredMessage* message = nullptr; // null: it stays
    const change::Bury* buried = nullptr;
    bool is_acknowledged = false;
    bool is_dropped = false; // as `change::Acknowledge::is_dropped`
    std::int64_t acknowledged_at = 0;

    const std::string& context_of_inserted() const {
      return context ? *context : inserted->context;
    }
    const StoredMessage& message_of_inserted() const {
      return message ? *message : inserted->message;
    }
    bool has_ended() const { return is_acknowledged || buried != nullptr; }
  };

  void make(const change::Insert& x);
  void make(const change::Acknowledge& x);
  void make(const change::CountAttempts& x);
  void make(const change::CountHandOvers& x);
  void make(const change::SetContext& x);
  void make(const change::SetMessage& x);
  void make(const change::Bury& x);
  void make(const change::ForgetKeys& x);
  void make(const change::DropIncoming& x);
  void make(const change::KeepAnswer& x);
  Sum* open_sum(std::uint64_t id);

  void add_fence(PgCommit& to) const;
  void add_left(PgCommit& to) const;
  void add_insertions(PgCommit& to) const;
  void add_acknowledgements(PgCommit& to) const;
  void add_burials(PgCommit& to) const;
  void add_counts(PgCommit& to) const;
  void add_contexts(PgCommit& to) const;
  void add_messages(PgCommit& to) const;
  void add_cancelled(PgCommit& to) const;
  void add_answers(PgCommit& to) const;

  std::int32_t outbox_;
  PgOutboxRow before_;
  PgOutboxRow after_;
  bool may_have_keys_;
  bool may_have_answers_;
  bool is_version_1_;
  bool has_keys_ = false;
  bool drops_keys_ = false;
  std::optional<std::int64_t> set_back_to_{}; // later keys get this time
  bool looks_for_oldest_ = false;
  std::size_t ended_ = 0;
  std::vector<Sum> sums_{}; // in the order in which the deliveries are named first
  std::unordered_map<std::uint64_t, std::size_t> places_{}; // in `sums_`, by number
  std::vector<std::size_t> acknowledged_{};                 // in `sums_`, in order
  std::vector<std::uint64_t> incoming_{};                   // rows to delete
  std::vector<const change::DropIncoming*> cancelled_{};    // with the rows before them
  std::vector<const change::KeepAnswer*> answers_{};        // in order
  std::vector<std::uint64_t> replacing_{};                  // rows that older ones take after
  std::vector<const change::Insert*> left_{};               // that nobody has read
  std::vector<PgCall> others_{};
};

// The number of the delivery, if the change has more of it than a statement can take; else 0.
std::uint64_t too_large_in(const StoreChange& change);

// An array of numbers, as a parameter.
std::string pg_numbers(std::span<const std::uint64_t> numbers);

} // namespace backoff_actor::detail
