#pragma once

#include "backoff_actor/store/internal/sqlite_reader.hpp"
#include "backoff_actor/store/internal/sqlite_statements.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace backoff_actor::detail {

// Returns permissions in the notation of chmod, such as `0600`.
std::string octal(std::filesystem::perms mode);

// A store that is open for reading and writing by its owner.
class SqliteDeliveryStore final : public SqliteReader {
public:
  enum class Loss : unsigned char { refused, accepted };

  // @errors throws `StoreError`; the file and its log are unchanged then.
  SqliteDeliveryStore(std::unique_ptr<StoreLock> lock, const std::string& file,
                      const SqliteOptions& options, Loss if_lost = Loss::refused);
  // Marks the file as complete, and makes the log a reserve.
  ~SqliteDeliveryStore() override;

  // The loss that was accepted; none: nothing was missing.
  const std::optional<StoreLoss>& loss() const { return loss_; }

  void commit(std::span<const StoreChange> changes) override;
  void for_each_owed(const std::function<void(StoredDelivery)>& visit) override;
  std::uint64_t last_id() override { return changes_->meta().last_id; }
  void set_message_format(const std::string& format) override;
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids) override;
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> ids) override;
  std::vector<std::string> take_notices() override;
  bool is_untidy() const override;
  void tidy_up() override;

  void compact() { connection().compact(); }

private:
  template <class F>
  void transact(F&& f);
  template <class F>
  void transact_once(F&& f);
  void write_over_failed();
  void note_commit();
  void begin(Loss if_lost);
  void tell(const std::string& notice);
  void tell_who_may_read();
  void watch_log();
  bool is_mostly_empty();

  SqliteOptions options_;
  std::optional<StoreLoss> loss_{};
  std::optional<SqliteStatements> changes_{};
  OwnerRecord record_{};
  std::vector<std::string> notices_{};
  std::uint32_t told_log_pages_ = 0; // the length of the log at the last notice about it
};

} // namespace backoff_actor::detail
