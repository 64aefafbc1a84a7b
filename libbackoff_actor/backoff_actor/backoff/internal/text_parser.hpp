#pragma once

// For the parsers only, not for their users. The common syntax of the text forms of policies,
// guards and fault plans:
//
// value := name [ '(' [ argument { ',' argument } ] ')' ]
//
// The beginning of an argument identifies it, so arguments can come in any order. An error lists
// all arguments that could still come at its place.

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::detail {

// One argument, and the target of its value.
struct BACKOFF_ACTOR_EXPORT Argument {
  enum class Form { span, factor, percent, whole, flag, other };

  // An argument with a form of its own.
  struct Other {
    std::string_view expected;
    std::function<bool()> begins; // only looks ahead
    std::function<void()> read;
  };

  using Target = std::variant<Duration*, double*, int*, bool*, Other>;

  std::string_view field;  // as in the problems of `check`
  std::string_view prefix; // the text before its value; empty: none
  Form form;
  Target target;
  bool is_required = false;

  std::string expected() const;
};

class BACKOFF_ACTOR_EXPORT TextParser {
public:
  explicit TextParser(std::string_view text) : text_(text) {}

protected:
  using Form = Argument::Form;
  using Columns = std::vector<std::pair<std::string_view, std::size_t>>; // of fields

  // -- arguments --------------------------------------------------------------------

  // Reads all arguments, in brackets.
  void arguments(std::vector<Argument> could_come);

  // -- characters -------------------------------------------------------------------

  // Skips blanks. Returns the column of the next character, from 1.
  std::size_t next_column();

  // Reads a token after blanks, if it is there.
  bool accept(std::string_view token);

  // Reads the digits that come next, possibly with a point.
  std::string_view number();

  // Reads a number and the suffix that follows it without a blank; otherwise stays where it is.
  bool accept_number(double& result, std::string_view exponent, std::string_view followed_by);

  // Reads a whole number; otherwise stays where it is.
  bool accept_whole(int& result);

  // Reads a span; otherwise stays where it is.
  bool accept_span(Duration& result);

  // Reads letters, digits, `_`, `-`, `.` and blanks.
  std::string_view words();

  // Reads one character of any kind; nothing at the end.
  std::optional<char> character();

  // Reads a name after blanks, or fails.
  std::string_view name(const std::string& expected);

  // Goes back to the beginning of the last name, and fails there. Suggests one of the names that
  // `expected` lists after a colon.
  [[noreturn]] void fail_at_name(const std::string& expected);

  // Fails where a span should come; says what the text there lacks.
  [[noreturn]] void fail_at_span(const std::string& expected);

  bool is_at_digit() const;
  bool is_at_end();

  // -- errors -----------------------------------------------------------------------

  // `advice` is empty, or begins with `; `.
  [[noreturn]] void fail(const std::string& expected, const std::string& advice = {});

  // Raises the problems at the first of their fields, or at `column` if the field's column is not
  // known.
  void raise_if_any(const Problems& problems, std::size_t column, const Columns& columns);

  // Returns the columns of the fields that were read since the last call.
  Columns take_columns() { return std::exchange(columns_, {}); }

  // Restores columns that were taken.
  void put_back_columns(Columns columns) { columns_ = std::move(columns); }

  std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }

private:
  void argument(std::vector<Argument>& could_come);
  void require_none(const std::vector<Argument>& could_come, const std::string& instead);
  bool begins(const Argument& argument) const;
  void value(const Argument& argument);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t name_at_ = 0;
  Columns columns_;
};

// Reads a policy that is a part of a text.
class BACKOFF_ACTOR_HIDDEN PolicyParser : public TextParser {
public:
  using TextParser::TextParser;

  enum class Extent { whole_text, part };

  // Reads the policy that begins here.
  Policy policy(Extent extent);

private:
  // What is added to a formula. Each comes once.
  struct Parts {
    Jitter jitter = no_jitter;
    FirstWait first_wait = no_first_wait;
    Seconds seconds = Seconds::any;
    Columns columns{};
  };

  std::optional<Policy> known();
  Policy::Formula formula();
  Steps steps();
  void part(Parts& parts);
  Jitter jitter(std::string_view name);
  void added(Jitter& result);
  void fail_if_there(std::size_t column, std::string_view field, const std::string& there);
};

} // namespace backoff_actor::detail
