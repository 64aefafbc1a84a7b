#include "backoff_actor/store/postgres/internal/pg_target.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <algorithm>
#include <string_view>

namespace backoff_actor {

namespace {

constexpr std::size_t longest_outbox_name = 64;
constexpr std::size_t longest_node_name = 128;
constexpr auto outbox_names = "1 to 64 characters of a-z, 0-9, _, . and -";

bool is_outbox_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_outbox_name
         && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.-")
              == std::string_view::npos;
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char one) { return static_cast<unsigned char>(one) >= ' ' && one != 127; });
}

std::string characters(std::size_t count) { return std::to_string(count) + " characters"; }

} // namespace

Problems check(const PostgresAddress& address) {
  Problems problems{"PostgresAddress"};
  detail::check_pg_connection(address.connection, problems);
  // A name that is none may be a part of a connection string, with its password.
  if (!is_outbox_name(address.outbox))
    problems.add("outbox", characters(address.outbox.size()), outbox_names);
  return problems;
}

Problems check(const PostgresOptions& options) {
  using std::chrono::minutes;
  using std::chrono::seconds;
  Problems problems{"PostgresOptions"};
  if (options.lease < seconds{1} || options.lease > minutes{5})
    problems.add("lease", to_string(options.lease), "1s..5min");
  if (options.connect_timeout < seconds{1} || options.connect_timeout > minutes{1}
      || options.connect_timeout % seconds{1} != Duration::zero())
    problems.add("connect_timeout", to_string(options.connect_timeout),
                 "1s..1min, in whole seconds");
  if (options.node.size() > longest_node_name || !is_printable(options.node))
    problems.add("node", characters(options.node.size()), "up to 128 printable characters");
  return problems;
}

PostgresAddress parse_postgres_address(const std::string& url) {
  Problems problems{"PostgresAddress"};
  const auto at = url.rfind('#');
  if (!url.starts_with("postgres://") && !url.starts_with("postgresql://"))
    problems.add("url", "a text that begins otherwise",
                 "postgres://user@host:port/database#outbox");
  else if (at == std::string::npos)
    problems.add("url", "no outbox", "postgres://user@host:port/database#outbox");
  else if (!is_outbox_name(std::string_view{url}.substr(at + 1)))
    problems.add("url", "an outbox of " + characters(url.size() - at - 1), outbox_names);
  problems.raise_if_any();
  PostgresAddress result{url.substr(0, at), url.substr(at + 1)};
  check(result).raise_if_any();
  return result;
}

} // namespace backoff_actor
