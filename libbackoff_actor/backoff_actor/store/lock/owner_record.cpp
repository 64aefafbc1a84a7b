#include "backoff_actor/store/lock/internal/owner_record.hpp"

#include <charconv>
#include <cstdio>
#include <fstream>

namespace backoff_actor::detail {

namespace {

constexpr std::size_t longest_boot = 64;

// FNV-1a: detects a record that is only half written.
//
// @source http://www.isthe.com/chongo/tech/comp/fnv/
std::uint64_t sum_of(std::string_view text) {
  std::uint64_t result = 0xcbf29ce484222325U;
  for (const auto c : text)
    result = (result ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return result;
}

std::optional<std::uint64_t> number(std::string_view text, int base = 10) {
  std::uint64_t result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result, base);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return result;
}

// Removes a line `NAME VALUE` from the beginning of the text. Returns the value.
std::optional<std::string_view> take(std::string_view& text, std::string_view name) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(name))
    return std::nullopt;
  const auto result = text.substr(name.size(), end - name.size());
  text.remove_prefix(end + 1);
  return result;
}

} // namespace

std::string text_of(const OwnerRecord& record) {
  auto result = std::to_string(record.pid) + "\ncommits " + std::to_string(record.commits)
                + "\nlast_id " + std::to_string(record.last_id) + "\nboot "
                + record.boot.substr(0, longest_boot) + "\n";
  char sum[32];
  std::snprintf(sum, sizeof sum, "sum %016llx\n", static_cast<unsigned long long>(sum_of(result)));
  result += sum;
  result.resize(record_size, '\n');
  return result;
}

std::optional<OwnerRecord> read_record(std::string_view text) {
  auto rest = text;
  const auto pid = take(rest, "");
  const auto commits = take(rest, "commits ");
  const auto last_id = take(rest, "last_id ");
  const auto boot = take(rest, "boot ");
  const auto summed = text.substr(0, text.size() - rest.size());
  const auto sum = take(rest, "sum ");
  if (!pid || !commits || !last_id || !boot || !sum || number(*sum, 16) != sum_of(summed))
    return std::nullopt;
  const auto numbers = {number(*pid), number(*commits), number(*last_id)};
  for (const auto& one : numbers)
    if (!one)
      return std::nullopt;
  return OwnerRecord{*number(*pid), *number(*commits), *number(*last_id), std::string{*boot}};
}

std::uint64_t read_pid(std::string_view text) {
  return number(text.substr(0, text.find('\n'))).value_or(0);
}

std::string this_boot() {
  std::string result;
  std::ifstream in{"/proc/sys/kernel/random/boot_id"};
  std::getline(in, result);
  return result.empty() ? "?" : result;
}

bool was_another_boot(const std::optional<OwnerRecord>& owner) {
  return owner && !owner->boot.empty() && (owner->boot == "?" || owner->boot != this_boot());
}

} // namespace backoff_actor::detail
