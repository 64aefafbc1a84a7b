#pragma once

#include "backoff_actor/core/time.hpp"
#include "common/private_postgres.hpp"
#include "common/process.hpp"
#include "ledger.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cluster {

/// Returns a Python that has psycopg; nothing: there is none.
std::optional<std::string> find_python();

/// The program shop.py: it hands orders over in transactions of its own, and rolls back one in ten.
///
/// @errors every member may throw `std::runtime_error` or `std::system_error`.
/// @thread the thread that made it
class Shop {
public:
  /// Makes its user and its table. It does not run yet.
  ///
  /// @param folder where it notes what it does
  /// @param python see `find_python`
  Shop(const example::PrivatePostgres& server, const std::filesystem::path& folder,
       std::string python);

  /// Starts it.
  ///
  /// @param outbox is there already
  /// @param customers the key of an order is its number modulo this
  void start(const std::string& outbox, std::uint64_t customers);

  /// Lets it finish its order. Kills it after the patience.
  void stop(backoff_actor::Duration patience);

  // -- after `stop` -------------------------------------------------------------------

  /// Its transactions, each with one job. Its table says what was committed.
  std::vector<Transaction> transactions() const;

  /// Why it did not do its work; empty: it did.
  const std::string& complaint() const { return complaint_; }

private:
  const example::PrivatePostgres& server_;
  const std::filesystem::path output_;
  const std::string python_;
  std::unique_ptr<example::Process> process_;
  std::string complaint_;
};

} // namespace cluster
