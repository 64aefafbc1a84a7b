#include "backoff_actor/store/postgres/internal/pg_target.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include <libpq-fe.h>

namespace backoff_actor::detail {

namespace {

using ConninfoValues = std::map<std::string, std::string>;

ConninfoValues values_of(PQconninfoOption* options) {
  ConninfoValues result;
  for (const auto* one = options; one != nullptr && one->keyword != nullptr; ++one)
    if (one->val != nullptr && *one->val != '\0')
      result[one->keyword] = one->val;
  PQconninfoFree(options);
  return result;
}

// What libpq takes from the environment and from a service file.
ConninfoValues default_values() { return values_of(PQconndefaults()); }

struct ParsedConninfo {
  bool is_valid = false;
  ConninfoValues values{};
};

// libpq's own text repeats parts of the string, so it is not used.
ParsedConninfo parse_conninfo(const std::string& connection) {
  char* error = nullptr;
  auto* const options = PQconninfoParse(connection.c_str(), &error);
  PQfreemem(error);
  if (options == nullptr)
    return {};
  return {true, values_of(options)};
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> result;
  for (;;) {
    const auto end = std::min(text.find(','), text.size());
    result.emplace_back(text.substr(0, end));
    if (end == text.size())
      return result;
    text.remove_prefix(end + 1);
  }
}

// Whether a text is a list of ports, as libpq takes it.
bool are_ports(const std::string& text) {
  const auto all = split_list(text);
  return std::all_of(all.begin(), all.end(), [](const std::string& one) {
    return one.size() <= 5 && one.find_first_not_of("0123456789") == std::string::npos;
  });
}

std::string value_or(const ConninfoValues& values, const std::string& key,
                     const std::string& otherwise) {
  const auto found = values.find(key);
  return found == values.end() ? otherwise : found->second;
}

std::vector<PgHost> hosts_of(const ConninfoValues& values) {
  const auto hosts = split_list(value_or(values, "host", ""));
  const auto addresses = split_list(value_or(values, "hostaddr", ""));
  const auto ports = split_list(value_or(values, "port", ""));
  std::vector<PgHost> result(std::max(hosts.size(), addresses.size()));
  const auto at = [](const std::vector<std::string>& all, std::size_t i) {
    return all.size() == 1 ? all[0] : i < all.size() ? all[i] : std::string{};
  };
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = {i < hosts.size() ? hosts[i] : "", i < addresses.size() ? addresses[i] : "",
                 at(ports, i)};
  return result;
}

std::string server_name(const std::vector<PgHost>& hosts, const std::string& database) {
  std::string result = "postgres://";
  for (const auto& one : hosts) {
    result += result.ends_with('/') ? "" : ",";
    result += !one.host.empty() ? one.host : !one.address.empty() ? one.address : "localhost";
    result += ":" + (one.port.empty() ? "5432" : one.port);
  }
  return result + "/" + database;
}

} // namespace

PgTarget pg_target(const std::string& connection) {
  Problems problems{"PostgresAddress"};
  check_pg_connection(connection, problems);
  problems.raise_if_any();
  auto values = parse_conninfo(connection).values;
  auto defaults = default_values();
  // A service file's host is libpq's to read.
  const auto named = values.contains("service") ? values : [&] {
    auto all = defaults;
    for (const auto& [key, value] : values)
      all[key] = value;
    return all;
  }();
  PgTarget result;
  result.hosts = hosts_of(named);
  result.password = value_or(named, "password", "");
  const auto user = value_or(named, "user", value_or(defaults, "user", ""));
  result.server = server_name(result.hosts, value_or(named, "dbname", user));
  result.name = result.server;
  for (const auto* const key : {"host", "hostaddr", "port"})
    values.erase(key);
  result.settings.assign(values.begin(), values.end());
  return result;
}

PgTarget pg_target(const PostgresAddress& address) {
  auto result = pg_target(address.connection);
  result.name += "#" + address.outbox;
  return result;
}

void check_pg_connection(const std::string& connection, Problems& problems) {
  const auto parsed = parse_conninfo(connection);
  if (!parsed.is_valid) {
    problems.add("connection", "a text that libpq cannot read",
                 "libpq's key=value pairs, or a URL postgres://user@host:port/database");
    return;
  }
  // What follows an @ in a password was taken for the host. What follows a / was taken for the
  // database, and what is before it for the port.
  if (value_or(parsed.values, "host", "").find('@') != std::string::npos)
    problems.add("connection", "a host with @ in its name",
                 "no @ in the name of a host; write %40 for an @ in a password");
  const auto is_url = connection.find("://") < connection.find_first_of("= ");
  if (!are_ports(value_or(parsed.values, "port", ""))
      || (is_url && value_or(parsed.values, "dbname", "").find('@') != std::string::npos))
    problems.add("connection", "a port that is no number, or a database with @ in its name",
                 "1..65535 as port; write %2F for a / in a password");
}

} // namespace backoff_actor::detail

namespace backoff_actor {

namespace {

constexpr std::size_t longest_outbox_name = 64;
constexpr std::size_t longest_node_name = 128;
constexpr std::uint32_t smallest_max_row = 1000;
constexpr std::uint32_t largest_max_row = 1'000'000'000;
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
  if (options.max_row < smallest_max_row || options.max_row > largest_max_row)
    problems.add("max_row", std::to_string(options.max_row), "1000..1000000000");
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
