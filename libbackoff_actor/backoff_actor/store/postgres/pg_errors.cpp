#include "backoff_actor/store/postgres/internal/pg_errors.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace backoff_actor::detail {

namespace {

struct Meaning {
  std::string_view state;
  StoreFailure failure;
  std::string_view text;     // empty: what the server says
  bool shows_server = false; // whether the server's words follow
};

constexpr std::string_view no_schema =
  "the database has no schema backoff of this library; run backoffctl outbox migrate "
  "'postgres://user@host:port/database' once, as a user that may make schemas and roles";

constexpr std::array meanings{
  Meaning{"BA001", StoreFailure::disowned, "another process owns it now", true},
  Meaning{"BA003", StoreFailure::too_large, "a row of incoming may not be so large", true},
  Meaning{"53100", StoreFailure::full, "the disk of the server is full"},
  Meaning{"53200", StoreFailure::input_output, "the server is out of memory"},
  Meaning{"53300", StoreFailure::unreachable, "the server has too many connections already"},
  Meaning{"57P03", StoreFailure::unreachable, "the server is starting or shutting down"},
  Meaning{"57014", StoreFailure::unreachable,
          "the server has cancelled a statement that took too long"},
  Meaning{"55P03", StoreFailure::unreachable,
          "another session holds a lock that the statement needs"},
  Meaning{"40001", StoreFailure::unreachable, "other sessions were in the way several times"},
  Meaning{"40P01", StoreFailure::unreachable, "other sessions were in the way several times"},
  Meaning{"25006", StoreFailure::read_only,
          "the server is read-only, as a replica is; connect to the primary"},
  Meaning{"28P01", StoreFailure::refused, "the server refused the password"},
  Meaning{"28000", StoreFailure::refused,
          "the server refused the user; see pg_hba.conf, and whether the role may log in"},
  Meaning{"42501", StoreFailure::refused,
          "the user may not do that; grant it the role backoff_worker", true},
  Meaning{"3D000", StoreFailure::cannot_open, "the server has no such database"},
  Meaning{"3F000", StoreFailure::cannot_open, no_schema},
  Meaning{"42P01", StoreFailure::cannot_open, no_schema},
  Meaning{"42883", StoreFailure::cannot_open, no_schema},
  Meaning{"42703", StoreFailure::damaged, "a table lacks a column", true},
  Meaning{"54000", StoreFailure::too_large, "a message is larger than the server can take", true},
  Meaning{"22001", StoreFailure::too_large, "a message is larger than the server can take", true},
  Meaning{"08P01", StoreFailure::cannot_open,
          "what answers is not PostgreSQL itself; connect directly to PostgreSQL, and not through "
          "a pooler such as PgBouncer"},
};

const Meaning* meaning_of(std::string_view state) {
  const auto* const found = std::find_if(meanings.begin(), meanings.end(),
                                         [&](const Meaning& one) { return one.state == state; });
  return found == meanings.end() ? nullptr : found;
}

// The SQLSTATE at the end of a line: libpq writes `FATAL:  28P01`.
std::string last_sqlstate(std::string_view text) {
  constexpr std::size_t length = 5;
  std::string result;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    const auto begin = line.size() < length + 3 ? 0 : line.size() - length;
    const auto state = line.substr(begin);
    const auto is_state = [](unsigned char x) {
      return std::isdigit(x) != 0 || std::isupper(x) != 0;
    };
    if (begin > 0 && line.substr(begin - 3, 3) == ":  "
        && std::all_of(state.begin(), state.end(), is_state))
      result = state;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return result;
}

// Of `connection to server at "db1", port 5432 failed: Connection refused`, the end.
std::string last_reason(std::string_view text) {
  constexpr std::string_view before = "failed: ";
  if (const auto at = text.rfind(before); at != std::string_view::npos)
    text.remove_prefix(at + before.size());
  return std::string{text.substr(0, text.find('\n'))};
}

} // namespace

StoreError pg_store_error(const std::string& name, const PgRefusal& refusal) {
  const auto* const meaning = meaning_of(refusal.state);
  if (meaning == nullptr)
    return {StoreFailure::input_output,
            name + ": the server failed: " + refusal.text + " (SQLSTATE " + refusal.state + ")"};
  auto text = name + ": " + std::string{meaning->text};
  if (meaning->shows_server && !refusal.text.empty())
    text += " (" + refusal.text + ")";
  return {meaning->failure, text};
}

StoreError pg_store_error(const std::string& name, const PgLost& lost) {
  return {StoreFailure::unreachable, name + ": the connection to the server is lost: " + lost.text};
}

StoreError pg_connect_error(const std::string& name, std::string_view said,
                            std::string_view password) {
  if (const auto state = last_sqlstate(said); !state.empty()) {
    const auto* const meaning = meaning_of(state);
    if (meaning != nullptr)
      return {meaning->failure, name + ": " + std::string{meaning->text}};
    return {StoreFailure::unreachable,
            name + ": the server refused the connection (SQLSTATE " + state + ")"};
  }
  auto reason = last_reason(said);
  if (!password.empty() && reason.find(password) != std::string::npos)
    reason = "libpq says why, but its text holds the password";
  if (reason.find("no password supplied") != std::string::npos)
    return {StoreFailure::refused, name + ": the server wants a password, and there is none"};
  if (reason.find("SSL") != std::string::npos || reason.find("certificate") != std::string::npos)
    return {StoreFailure::refused, name + ": cannot connect: " + reason};
  return {StoreFailure::unreachable, name + ": cannot connect: " + reason};
}

bool is_worth_a_retry(const PgRefusal& refusal) {
  return refusal.state == "40001" || refusal.state == "40P01";
}

bool ends_session(std::string_view sqlstate) {
  constexpr std::array ending{std::string_view{"57P01"}, std::string_view{"57P02"},
                              std::string_view{"57P03"}, std::string_view{"57P04"},
                              std::string_view{"57P05"}, std::string_view{"25P03"}};
  return sqlstate.starts_with("08")
         || std::find(ending.begin(), ending.end(), sqlstate) != ending.end();
}

StoreError pg_schema_is_missing(const std::string& name) {
  return {StoreFailure::cannot_open, name + ": " + std::string{no_schema}};
}

} // namespace backoff_actor::detail
