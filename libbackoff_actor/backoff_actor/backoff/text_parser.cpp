#include "backoff_actor/backoff/internal/text_parser.hpp"

#include "backoff_actor/backoff/internal/text.hpp"
#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/text/internal/advice.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace backoff_actor {

namespace {

constexpr std::size_t longest_shown = 200; // bytes of a text in a message

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
using detail::is_digit;
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string rendered(std::string_view text, std::size_t column, const std::string& problem) {
  auto result = "column " + std::to_string(column) + ": " + problem;
  if (text.size() <= longest_shown)
    result +=
      "\n  " + detail::in_places(text) + "\n  "
      + std::string(detail::count_characters(detail::in_places(text.substr(0, column - 1))), ' ')
      + "^";
  return result;
}

// Returns the words of a list: a, b and c of `: a, b or c`.
std::vector<std::string_view> names_in(std::string_view list) {
  std::vector<std::string_view> result;
  while (!list.empty()) {
    const auto* const end = std::find_if_not(list.begin(), list.end(), is_name);
    const auto word = list.substr(0, static_cast<std::size_t>(end - list.begin()));
    if (!word.empty() && word != "or")
      result.push_back(word);
    list.remove_prefix(std::max<std::size_t>(word.size(), 1));
  }
  return result;
}

// Reads digits with `exponent` appended: 29% as `29e-2`, which is the same number as 0.29.
bool read_number(std::string_view digits, std::string_view exponent, double& result) {
  if (digits.empty() || !is_digit(digits.front()) || !is_digit(digits.back()))
    return false;
  const auto text = std::string{digits}.append(exponent);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

ParseError::ParseError(std::string_view text, std::size_t column, const std::string& problem)
  : std::invalid_argument(rendered(text, column, problem)), column_(column), problem_(problem) {}

namespace detail {

std::string Argument::expected() const {
  const std::string word{prefix};
  switch (form) {
  case Form::span:
    if (prefix.empty())
      return "a span such as 100ms, 1.5s or 2min";
    return prefix == "+" ? "a step such as +1s" : "'" + word + "' and a span such as 30s";
  case Form::factor:
    return "a factor such as x2";
  case Form::percent:
    return (prefix.empty() ? "" : "'" + word + "' and ") + std::string{"a percentage such as 10%"};
  case Form::whole:
    if (prefix == "^")
      return "a power such as ^4";
    return "'" + word + "' and a whole number such as 10";
  case Form::flag:
    break;
  case Form::other:
    return (prefix.empty() ? "" : "'" + word + "' and ")
           + std::string{std::get<Other>(target).expected};
  }
  return "'" + word + "'";
}

// -- arguments --------------------------------------------------------------------

void TextParser::arguments(std::vector<Argument> could_come) {
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

// Reads one of the arguments that could come, and removes it from the list.
void TextParser::argument(std::vector<Argument>& could_come) {
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
  std::string last;
  for (const auto& x : could_come) // several of the same form are one
    if (const auto next = x.expected(); std::exchange(last, next) != next)
      expected += (expected.empty() ? "" : ", or ") + next;
  fail(expected.empty() ? "')'" : expected);
}

// Fails if a required argument has not come.
void TextParser::require_none(const std::vector<Argument>& could_come, const std::string& instead) {
  for (const auto& x : could_come)
    if (x.is_required)
      fail(instead.empty() ? x.expected() : instead);
}

bool TextParser::begins(const Argument& argument) const {
  const auto rest = text_.substr(at_);
  if (argument.prefix.empty())
    return argument.form == Form::other ? std::get<Argument::Other>(argument.target).begins()
                                        : is_at_digit();
  if (rest.substr(0, argument.prefix.size()) != argument.prefix)
    return false;
  const auto next = rest.size() > argument.prefix.size() ? rest[argument.prefix.size()] : ' ';
  return argument.prefix == "x" || argument.prefix == "+" || argument.prefix == "^"
         || !is_name(next) || (is_digit(next) && is_letter(argument.prefix.back()));
}

void TextParser::value(const Argument& argument) {
  at_ += argument.prefix.size();
  next_column();
  const auto is_read = [&] {
    switch (argument.form) {
    case Form::flag:
      return *std::get<bool*>(argument.target) = true;
    case Form::span:
      return accept_span(*std::get<Duration*>(argument.target));
    case Form::factor:
      return accept_number(*std::get<double*>(argument.target), "", "");
    case Form::percent:
      return accept_number(*std::get<double*>(argument.target), "e-2", "%");
    case Form::whole:
      return accept_whole(*std::get<int*>(argument.target));
    case Form::other:
      std::get<Argument::Other>(argument.target).read();
      return true;
    }
    return false;
  };
  if (is_read())
    return;
  const auto expected = argument.expected();
  const auto value = argument.prefix.empty() || argument.form == Form::factor
                       ? expected
                       : expected.substr(expected.find("a "));
  if (argument.form == Form::span)
    fail_at_span(value);
  fail(value);
}

// -- characters -------------------------------------------------------------------

std::size_t TextParser::next_column() {
  while (at_ < text_.size() && is_blank(text_[at_]))
    ++at_;
  return at_ + 1;
}

bool TextParser::accept(std::string_view token) {
  next_column();
  if (text_.substr(at_, token.size()) != token)
    return false;
  at_ += token.size();
  return true;
}

std::string_view TextParser::number() {
  const auto begin = at_;
  while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.'))
    ++at_;
  return text_.substr(begin, at_ - begin);
}

bool TextParser::accept_number(double& result, std::string_view exponent,
                               std::string_view followed_by) {
  const auto begin = at_;
  if (read_number(number(), exponent, result)
      && text_.substr(at_, followed_by.size()) == followed_by) {
    at_ += followed_by.size();
    return true;
  }
  at_ = begin;
  return false;
}

bool TextParser::accept_whole(int& result) {
  const auto begin = at_;
  const auto digits = number();
  const auto* const all = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), all, result);
  if (error == std::errc{} && end == all)
    return true;
  at_ = begin;
  return false;
}

bool TextParser::accept_span(Duration& result) {
  const auto begin = at_;
  number();
  while (at_ < text_.size() && is_letter(text_[at_]))
    ++at_;
  const auto span = parse_duration(text_.substr(begin, at_ - begin));
  if (!span) {
    at_ = begin;
    return false;
  }
  result = *span;
  return true;
}

std::string_view TextParser::words() {
  const auto begin = at_;
  const auto is_in_words = [](char c) {
    return is_name(c) || is_blank(c) || c == '-' || c == '.' || (c >= 'A' && c <= 'Z');
  };
  while (at_ < text_.size() && is_in_words(text_[at_]))
    ++at_;
  return text_.substr(begin, at_ - begin);
}

std::optional<char> TextParser::character() {
  return at_ < text_.size() ? std::optional{text_[at_++]} : std::nullopt;
}

std::string_view TextParser::name(const std::string& expected) {
  next_column();
  name_at_ = at_;
  while (at_ < text_.size() && is_name(text_[at_]))
    ++at_;
  if (at_ == name_at_)
    fail(expected);
  return text_.substr(name_at_, at_ - name_at_);
}

void TextParser::fail_at_name(const std::string& expected) {
  const std::string_view list{expected};
  const auto names = names_in(list.substr(std::min(list.find(": "), list.size())));
  at_ = name_at_;
  const auto rest = text_.substr(at_);
  const auto* const end = std::find_if_not(rest.begin(), rest.end(), is_name);
  fail(expected, did_you_mean(rest.substr(0, static_cast<std::size_t>(end - rest.begin())), names));
}

void TextParser::fail_at_span(const std::string& expected) {
  next_column();
  const auto rest = text_.substr(at_);
  fail(expected, span_advice(rest.substr(0, rest.find_first_of(",()|+"))));
}

bool TextParser::is_at_digit() const { return at_ < text_.size() && is_digit(text_[at_]); }

bool TextParser::is_at_end() { return next_column() > text_.size(); }

// -- errors -----------------------------------------------------------------------

void TextParser::fail(const std::string& expected, const std::string& advice) {
  next_column();
  auto end = at_;
  while (end < text_.size() && (is_name(text_[end]) || text_[end] == '.' || text_[end] == '%'))
    ++end;
  if (end == at_ && at_ < text_.size())
    do
      ++end;
    while (end < text_.size() && continues_character(text_[end]));
  const auto found =
    end == at_ ? "the end"
               : "'" + in_places(text_.substr(at_, std::min(end - at_, longest_shown))) + "'";
  throw ParseError{text_, at_ + 1, "expected " + expected + "; found " + found + advice};
}

void TextParser::raise_if_any(const Problems& problems, std::size_t column,
                              const Columns& columns) {
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

} // namespace detail

} // namespace backoff_actor
