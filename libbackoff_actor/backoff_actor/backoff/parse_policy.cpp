#include "backoff_actor/backoff/parse_policy.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

// formula := name [ '(' [ argument { ',' argument } ] ')' ]
// policy  := formula [ '|' formula ]
//
// Arguments are told apart by what they begin with, so that they can come in any order. What is
// expected somewhere is the list of those that could still come.

namespace backoff_actor {

namespace {

constexpr std::size_t longest_shown = 200; // bytes of a text in a message

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string printable(std::string_view text) {
  std::string result{text};
  std::replace_if(
    result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

std::string rendered(std::string_view text, std::size_t column, const std::string& problem) {
  auto result = "column " + std::to_string(column) + ": " + problem;
  if (text.size() <= longest_shown)
    result += "\n  " + printable(text) + "\n  " + std::string(column - 1, ' ') + "^";
  return result;
}

/// One argument of a formula, and where its value goes.
struct Argument {
  enum class Form { span, factor, percent, whole, flag };
  using Target = std::variant<Duration*, double*, int*, bool*>;

  std::string_view field;  // as in the problems of `check`
  std::string_view prefix; // what it begins with; empty: its value
  Form form;
  Target target;
  bool is_required = false;

  std::string expected() const {
    const std::string word{prefix};
    switch (form) {
    case Form::span:
      if (prefix.empty())
        return "a span such as 100ms, 1.5s or 2min";
      return prefix == "+" ? "a step such as +1s" : "'" + word + "' and a span such as 30s";
    case Form::factor:
      return "a factor such as x2";
    case Form::percent:
      return (prefix.empty() ? "" : "'" + word + "' and ")
             + std::string{"a percentage such as 10%"};
    case Form::whole:
      return "'" + word + "' and a whole number such as 10";
    case Form::flag:
      break;
    }
    return "'" + word + "'";
  }
};

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  Policy policy() {
    const auto formula_column = next_column();
    const auto formula = this->formula();
    const auto formula_columns = std::exchange(columns_, {});
    auto jitter = no_jitter;
    auto jitter_column = formula_column;
    if (accept("|")) {
      jitter_column = next_column();
      jitter = this->jitter();
    }
    if (next_column() <= text_.size())
      fail(jitter_column == formula_column ? "'|' and a jitter, or the end" : "the end");
    raise_if_any(std::visit([](const auto& x) { return check(x); }, formula), formula_column,
                 formula_columns);
    raise_if_any(check(formula, jitter), jitter_column, columns_);
    return {formula, jitter};
  }

private:
  using Form = Argument::Form;
  using Columns = std::vector<std::pair<std::string_view, std::size_t>>; // of fields

  static Argument first(std::string_view field, Duration& target) {
    return {field, "", Form::span, &target, true};
  }
  static Argument span(std::string_view field, std::string_view prefix, Duration& target) {
    return {field, prefix, Form::span, &target};
  }
  static Argument factor(double& target) { return {"factor", "x", Form::factor, &target}; }
  static Argument ceiling(int& target) { return {"ceiling", "ceiling", Form::whole, &target}; }

  Policy::Formula formula() {
    constexpr auto names = "a policy: decorrelated, ethernet, exponential, fixed, linear, "
                           "memorystore, random_slots or seed002";
    const auto name = this->name(names);
    if (name == "fixed") {
      Fixed x;
      arguments({first("delay", x.delay)});
      return x;
    }
    if (name == "linear") {
      Linear x;
      arguments({first("first", x.first), span("step", "+", x.step), span("cap", "cap", x.cap)});
      return x;
    }
    if (name == "exponential") {
      Exponential x;
      arguments({first("first", x.first), factor(x.factor), span("cap", "cap", x.cap)});
      return x;
    }
    if (name == "decorrelated") {
      Decorrelated x;
      arguments({first("first", x.first), factor(x.factor), span("cap", "cap", x.cap)});
      return x;
    }
    if (name == "random_slots") {
      RandomSlots x;
      arguments({span("slot_time", "", x.slot_time),
                 ceiling(x.ceiling),
                 {"stay", "stay", Form::flag, &x.stay_at_ceiling}});
      return x;
    }
    if (name == "ethernet") {
      Ethernet x;
      arguments({span("slot_time", "", x.slot_time), ceiling(x.ceiling)});
      return x;
    }
    if (name == "memorystore") {
      Memorystore x;
      arguments({span("max", "max", x.max)});
      return x;
    }
    if (name == "seed002") {
      Seed002 x;
      arguments({span("min", "", x.min),
                 factor(x.factor),
                 span("cap", "cap", x.cap),
                 {"jitter", "jitter", Form::percent, &x.jitter}});
      return x;
    }
    at_ = name_at_;
    fail(names);
  }

  Jitter jitter() {
    constexpr auto names = "a jitter: additive_jitter, equal_jitter, full_jitter, gaussian_jitter, "
                           "no_jitter or proportional_jitter";
    const auto name = this->name(names);
    if (name == "no_jitter" || name == "full_jitter" || name == "equal_jitter") {
      arguments({});
      return name == "no_jitter" ? no_jitter : name == "full_jitter" ? full_jitter : equal_jitter;
    }
    if (name == "additive_jitter") {
      Duration longest{};
      arguments({first(name, longest)});
      return additive_jitter(longest);
    }
    if (name == "proportional_jitter" || name == "gaussian_jitter") {
      double part = 0;
      arguments({{name, "", Form::percent, &part, true}});
      return name == "gaussian_jitter" ? gaussian_jitter(part) : proportional_jitter(part);
    }
    at_ = name_at_;
    fail(names);
  }

  // -- arguments --------------------------------------------------------------------

  void arguments(std::vector<Argument> could_come) {
    if (!accept("(")) {
      require_none(could_come, "'('");
      return;
    }
    if (!accept(")")) {
      do
        argument(could_come);
      while (!could_come.empty() && accept(","));
      if (!accept(")"))
        fail(could_come.empty() ? "')'" : "',' or ')'");
    }
    --at_;
    require_none(could_come, {});
    ++at_;
  }

  // Reads one of those that could come, and takes it out.
  void argument(std::vector<Argument>& could_come) {
    next_column();
    for (auto i = could_come.begin(); i != could_come.end(); ++i) {
      if (!begins(*i))
        continue;
      columns_.emplace_back(i->field, at_ + 1);
      value(*i);
      could_come.erase(i);
      return;
    }
    std::string expected;
    for (const auto& x : could_come)
      expected += (expected.empty() ? "" : ", or ") + x.expected();
    fail(expected.empty() ? "')'" : expected);
  }

  // Fails at a required one that has not come.
  void require_none(const std::vector<Argument>& could_come, const std::string& instead) {
    for (const auto& x : could_come)
      if (x.is_required)
        fail(instead.empty() ? x.expected() : instead);
  }

  bool begins(const Argument& argument) const {
    const auto rest = text_.substr(at_);
    if (argument.prefix.empty())
      return !rest.empty() && is_digit(rest.front());
    if (rest.substr(0, argument.prefix.size()) != argument.prefix)
      return false;
    const auto next = rest.size() > argument.prefix.size() ? rest[argument.prefix.size()] : ' ';
    return argument.prefix == "x" || argument.prefix == "+" || !is_name(next)
           || (is_digit(next) && is_letter(argument.prefix.back()));
  }

  void value(const Argument& argument) {
    at_ += argument.prefix.size();
    next_column();
    const auto begin = at_;
    const auto number = [&] {
      while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.'))
        ++at_;
      return text_.substr(begin, at_ - begin);
    };
    const auto fail_here = [&] {
      at_ = begin;
      fail(argument.prefix.empty() || argument.form == Argument::Form::factor
             ? argument.expected()
             : argument.expected().substr(argument.expected().find("a ")));
    };
    switch (argument.form) {
    case Argument::Form::flag:
      *std::get<bool*>(argument.target) = true;
      return;
    case Argument::Form::span: {
      number();
      while (at_ < text_.size() && is_letter(text_[at_]))
        ++at_;
      const auto span = parse_duration(text_.substr(begin, at_ - begin));
      if (!span)
        fail_here();
      *std::get<Duration*>(argument.target) = *span;
      return;
    }
    case Argument::Form::factor:
      if (!read_number(number(), "", *std::get<double*>(argument.target)))
        fail_here();
      return;
    case Argument::Form::percent:
      if (!read_number(number(), "e-2", *std::get<double*>(argument.target))
          || !accept_directly('%'))
        fail_here();
      return;
    case Argument::Form::whole: {
      const auto digits = number();
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(),
                                                *std::get<int*>(argument.target));
      if (error != std::errc{} || end != digits.data() + digits.size())
        fail_here();
      return;
    }
    }
  }

  // With the exponent appended, so that 29% is read as 0.29 is.
  static bool read_number(std::string_view digits, std::string_view exponent, double& result) {
    if (digits.empty() || !is_digit(digits.front()) || !is_digit(digits.back()))
      return false;
    const auto text = std::string{digits}.append(exponent);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    return error == std::errc{} && end == text.data() + text.size();
  }

  // -- characters -------------------------------------------------------------------

  // Skips blanks.
  std::size_t next_column() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t'))
      ++at_;
    return at_ + 1;
  }

  bool accept(std::string_view token) {
    next_column();
    if (text_.substr(at_, token.size()) != token)
      return false;
    at_ += token.size();
    return true;
  }

  bool accept_directly(char c) {
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }

  std::string_view name(const char* expected) {
    next_column();
    name_at_ = at_;
    while (at_ < text_.size() && is_name(text_[at_]))
      ++at_;
    if (at_ == name_at_)
      fail(expected);
    return text_.substr(name_at_, at_ - name_at_);
  }

  // -- errors -----------------------------------------------------------------------

  [[noreturn]] void fail(const std::string& expected) {
    next_column();
    auto end = at_;
    while (end < text_.size() && (is_name(text_[end]) || text_[end] == '.' || text_[end] == '%'))
      ++end;
    if (end == at_ && at_ < text_.size())
      ++end;
    const auto found =
      end == at_ ? "the end"
                 : "'" + printable(text_.substr(at_, std::min(end - at_, longest_shown))) + "'";
    throw ParseError{text_, at_ + 1, "expected " + expected + "; found " + found};
  }

  void raise_if_any(const Problems& problems, std::size_t column, const Columns& columns) {
    if (problems.empty())
      return;
    std::string all;
    auto first = text_.size() + 1;
    for (const auto& problem : problems.list()) {
      all += (all.empty() ? "" : "; ") + problem.field + ": got " + problem.given + ", allowed "
             + problem.allowed;
      const auto field = std::find_if(columns.begin(), columns.end(),
                                      [&](const auto& x) { return x.first == problem.field; });
      first = std::min(first, field == columns.end() ? column : field->second);
    }
    throw ParseError{text_, first, all};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t name_at_ = 0;
  Columns columns_;
};

} // namespace

ParseError::ParseError(std::string_view text, std::size_t column, const std::string& problem)
  : std::invalid_argument(rendered(text, column, problem)), column_(column), problem_(problem) {}

Policy parse_policy(std::string_view text) { return Parser{text}.policy(); }

} // namespace backoff_actor
