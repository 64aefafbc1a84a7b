#include "outbox_list.hpp"

#include "outbox_records.hpp"
#include "table.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

namespace backoffctl {

namespace {

using namespace backoff_actor;
using backoff_actor::detail::one_line;

constexpr auto shown_digits = 3; // of a second

std::string or_dash(const std::string& text) { return text.empty() ? "-" : one_line(text); }

std::vector<std::string> beginning_of_row(const StoredDelivery& x) {
  return {std::to_string(x.id), iso_time(x.submitted_at, shown_digits), std::to_string(x.attempts)};
}

std::vector<std::string> row_of(const StoredDelivery& x) {
  auto result = beginning_of_row(x);
  result.push_back(x.deadline ? iso_time(*x.deadline, shown_digits) : "-");
  result.push_back(or_dash(x.key));
  result.push_back(std::to_string(x.message.bytes.size()));
  result.push_back(or_dash(x.message.types));
  return result;
}

std::vector<std::string> row_of(const StoredDeadLetter& x) {
  auto result = beginning_of_row(x.delivery);
  result.push_back(iso_time(x.at, shown_digits));
  result.emplace_back(to_string(x.reason));
  result.push_back(std::to_string(x.delivery.message.bytes.size()));
  result.push_back(or_dash(x.delivery.message.types));
  result.push_back(or_dash(x.cause));
  return result;
}

// A table under its title; the visitors of a store cannot be stopped, so what is beyond the limit is
// counted.
class Listing {
public:
  Listing(std::string title, std::vector<std::string> header, std::uint64_t limit)
    : title_(std::move(title)), table_(std::move(header)), limit_(limit) {}

  template <class T>
  void add(const T& x) {
    if (++count_ <= limit_)
      table_.add(row_of(x));
  }

  std::string text() const {
    auto result = std::to_string(count_) + " " + title_ + "\n";
    if (count_ > 0)
      result += table_.text();
    if (count_ > limit_)
      result += "  and " + std::to_string(count_ - limit_) + " more\n";
    return result;
  }

private:
  std::string title_;
  Table table_;
  std::uint64_t limit_;
  std::uint64_t count_ = 0;
};

} // namespace

std::string outbox_tables(DeliveryStore& store, const OutboxSelection& selection) {
  std::string result;
  if (selection.owed) {
    Listing listing{"owed",
                    {"id", "submitted at", "attempts", "deadline", "key", "bytes", "types"},
                    selection.limit};
    store.for_each_owed([&](const StoredDelivery& x) { listing.add(x); });
    result += listing.text();
  }
  if (selection.dead) {
    Listing listing{
      "dead letters",
      {"id", "submitted at", "attempts", "given up at", "reason", "bytes", "types", "cause"},
      selection.limit};
    store.for_each_dead_letter([&](const StoredDeadLetter& x) { listing.add(x); });
    if (!result.empty())
      result += '\n';
    result += listing.text();
  }
  return result;
}

std::string outbox_json_lines(DeliveryStore& store, const OutboxSelection& selection) {
  std::string result;
  const auto add = [&, count = std::uint64_t{0}](const auto& x) mutable {
    if (++count <= selection.limit)
      result += json_line(x, false);
  };
  if (selection.owed)
    store.for_each_owed(add);
  if (selection.dead)
    store.for_each_dead_letter(add);
  return result;
}

} // namespace backoffctl
