#include "outbox.hpp"

#include "backoffctl/text/table.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace backoffctl {

namespace {

using namespace backoff_actor;
using backoff_actor::detail::one_line;

constexpr auto shown_digits = 3; // of a second

std::vector<std::string> beginning_of_row(const StoredDelivery& x) {
  return {std::to_string(x.id), iso_time(x.submitted_at, shown_digits), std::to_string(x.attempts)};
}

// -- messages -----------------------------------------------------------------------------

constexpr std::size_t shown_characters = 60;

bool is_printable(std::string_view text) {
  return !text.empty() && text.find("\xef\xbf\xbd") == std::string_view::npos
         && one_line(text) == text;
}

// Returns what follows a length, of seven bits a byte, the lowest first; nothing if it has another.
std::string_view behind_its_length(std::string_view bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 5); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    length |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if ((byte & 0x80U) == 0)
      return bytes.size() - i - 1 == length ? bytes.substr(i + 1) : std::string_view{};
  }
  return {};
}

// Cuts whole characters only.
std::string shortened(std::string_view text) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (detail::count_characters(text.substr(i, 1)) == 1 && ++characters > shown_characters)
      return std::string{text.substr(0, i)} + "...";
  return std::string{text};
}

std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "0x";
  for (const auto c : bytes.substr(0, shown_characters)) {
    const auto byte = static_cast<unsigned char>(c);
    result += digits[byte >> 4];
    result += digits[byte & 0xf];
  }
  return shortened(result);
}

// -- rows ---------------------------------------------------------------------------------

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

// A table under its title; the visitors of a store cannot be stopped, so what is beyond the limit
// is counted.
class Listing {
public:
  Listing(std::string title, std::vector<std::string> header, const OutboxSelection& selection)
    : title_(std::move(title)), table_(with(std::move(header), "message", selection.payload)),
      limit_(selection.limit), has_messages_(selection.payload) {}

  void add(const StoredDelivery& x) { add(x, message_text(x.message.bytes)); }
  void add(const StoredDeadLetter& x) {
    add(x, x.text.empty() ? message_text(x.delivery.message.bytes) : shortened(one_line(x.text)));
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
  template <class T>
  void add(const T& x, const std::string& message) {
    if (++count_ <= limit_)
      table_.add(with(row_of(x), has_messages_ ? message : "", has_messages_));
  }

  static std::vector<std::string> with(std::vector<std::string> row, const std::string& last,
                                       bool has_last) {
    if (has_last)
      row.push_back(last);
    return row;
  }

  std::string title_;
  Table table_;
  std::uint64_t limit_;
  bool has_messages_;
  std::uint64_t count_ = 0;
};

} // namespace

std::string message_text(std::span<const std::byte> bytes) {
  const std::string_view all{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  if (all.empty())
    return "-";
  const auto content = behind_its_length(all);
  for (const auto text : {content, all})
    if (is_printable(text))
      return std::string{"\""}.append(shortened(text)).append("\"");
  return hexadecimal(all);
}

std::string outbox_tables(DeliveryStore& store, const OutboxSelection& selection) {
  std::string result;
  if (selection.owed) {
    Listing listing{
      "owed", {"id", "submitted at", "attempts", "deadline", "key", "bytes", "types"}, selection};
    store.for_each_owed([&](const StoredDelivery& x) { listing.add(x); });
    result += listing.text();
  }
  if (selection.dead) {
    Listing listing{
      "dead letters",
      {"id", "submitted at", "attempts", "given up at", "reason", "bytes", "types", "cause"},
      selection};
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
      result += json_line(x, selection.payload);
  };
  if (selection.owed)
    store.for_each_owed(add);
  if (selection.dead)
    store.for_each_dead_letter(add);
  return result;
}

} // namespace backoffctl
