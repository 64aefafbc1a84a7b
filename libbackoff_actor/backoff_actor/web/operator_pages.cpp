#include "backoff_actor/web/internal/operator_pages.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/text/internal/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace backoff_actor::web {

namespace {

using Result = OperatorOutcome::Result;

// The most letters in a list, and the most bytes of a message in a list and by itself.
constexpr std::size_t most_listed = 1000;
constexpr std::size_t listed_by_default = 100;
constexpr std::size_t most_of_message_in_list = 2'000;
constexpr std::size_t most_of_message = 200'000;

// The most characters of the name of an operator.
constexpr std::size_t longest_operator_name = 64;

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return result;
}

// `billing#17`; nothing if the text is no name of a sender.
std::optional<ActorName> sender_in(const std::string& text) {
  const auto mark = text.rfind('#');
  if (mark == text.npos)
    return std::nullopt;
  const auto number = number_in(std::string_view{text}.substr(mark + 1));
  return number ? std::optional{ActorName{text.substr(0, mark), *number}} : std::nullopt;
}

std::string operator_of(const WebRequest& request) { return request.header("x-operator"); }

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= longest_operator_name
         && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

std::optional<OperatorAction> action_in(std::string_view name) {
  for (const auto action :
       {OperatorAction::pause, OperatorAction::resume, OperatorAction::retry_now,
        OperatorAction::drain, OperatorAction::resubmit, OperatorAction::remove,
        OperatorAction::close_guard})
    if (to_string(action) == name)
      return action;
  return std::nullopt;
}

WebAnswer wrong(std::string text, int status = 400) { return {status, std::move(text) + "\n"}; }

int status_of(Result result) {
  switch (result) {
  case Result::done:
    return 200;
  case Result::nobody:
    return 404;
  case Result::refused:
    return 409;
  case Result::no_answer:
    break;
  }
  return 504;
}

WebAnswer told(const OperatorOutcome& outcome) {
  std::string json = "{\"is_done\":";
  json += outcome.result == Result::done ? "true" : "false";
  json += ",\"letters\":" + std::to_string(outcome.letters);
  json += ",\"text\":" + detail::json_string(outcome.text) + "}\n";
  return {status_of(outcome.result), std::move(json), json_type};
}

// Which letters a request is about. Whether it may be about all is decided in `act`.
std::optional<LetterChoice> choice_in(const WebRequest& request) {
  LetterChoice result{{}, request.parameter("find")};
  if (const auto id = request.parameter("id"); !id.empty()) {
    result.id = number_in(id);
    if (!result.id)
      return std::nullopt;
  }
  return result;
}

void write(std::string& json, const KeptLetter& letter, std::size_t most) {
  json += "{\"id\":" + std::to_string(letter.id);
  json += ",\"reason\":" + detail::json_string(std::string{to_string(letter.reason)});
  json += ",\"attempts\":" + std::to_string(letter.attempts);
  json += ",\"cause\":" + detail::json_string(letter.cause);
  json += ",\"age_seconds\":"
          + detail::number_text(static_cast<double>(letter.age.count()) / 1e9,
                                std::chars_format::fixed, 3);
  json += ",\"key\":" + detail::json_string(letter.key);
  json += ",\"idempotency_key\":" + detail::json_string(letter.idempotency_key);
  json += letter.is_under_way ? ",\"is_under_way\":true" : ",\"is_under_way\":false";
  json += ",\"message\":" + detail::json_string(letter.message.substr(0, most));
  json += ",\"message_bytes\":" + std::to_string(letter.message.size()) + "}";
}

} // namespace

bool is_token(std::string_view text, std::string_view token) {
  volatile unsigned difference = text.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i != token.size(); ++i) {
    const auto c = text.empty() ? '\0' : text[i % text.size()];
    difference = difference | static_cast<unsigned char>(c ^ token[i]);
  }
  return difference == 0;
}

OperatorPages::OperatorPages(const Observatory& observatory, const WebOptions& options)
  : operator_(observatory, options.on_action), token_(options.token),
    has_tls_(options.tls.has_value()) {}

bool OperatorPages::is_refused(const WebRequest& request, WebAnswer& answer) const {
  const auto site = request.header("sec-fetch-site");
  const auto origin = request.header("origin");
  const auto host = request.host();
  const auto is_of_this_site =
    (site.empty() || site == "same-origin" || site == "none")
    && (origin.empty() || (!has_tls_ && origin == "http://" + host) || origin == "https://" + host);
  constexpr std::string_view scheme = "Bearer ";
  const auto authorization = request.header("authorization");
  const std::string_view given = authorization;
  if (!is_of_this_site)
    answer = wrong("the request comes from a page of another site", 403);
  else if (!given.starts_with(scheme) || !is_token(given.substr(scheme.size()), token_))
    answer = wrong("the header Authorization has no valid token", 401);
  else if (!is_name(operator_of(request)))
    answer = wrong("the header X-Operator must say who asks, in 1 to 64 characters of ASCII");
  else
    return false;
  return true;
}

WebAnswer OperatorPages::act(const WebRequest& request) const {
  WebAnswer refusal;
  if (is_refused(request, refusal))
    return refusal;
  const auto action = action_in(request.path.substr(act_path.size()));
  if (!action)
    return wrong("there is no such action", 404);
  const auto who = operator_of(request);
  if (*action == OperatorAction::close_guard)
    return told(operator_.close_guard(who, request.parameter("guard")));
  const auto sender = sender_in(request.parameter("sender"));
  if (!sender)
    return wrong("sender: must be a name such as billing#17");
  if (*action != OperatorAction::resubmit && *action != OperatorAction::remove)
    return told(operator_.act(who, *action, *sender));
  const auto choice = choice_in(request);
  if (!choice)
    return wrong("id: must be the number of a letter");
  if (!choice->id && request.parameter("all") != "yes")
    return wrong("id: must be the number of a letter, unless all=yes");
  return told(*action == OperatorAction::resubmit ? operator_.resubmit(who, *sender, *choice)
                                                  : operator_.remove(who, *sender, *choice));
}

WebAnswer OperatorPages::letters(const WebRequest& request) const {
  WebAnswer refusal;
  if (is_refused(request, refusal))
    return refusal;
  const auto sender = sender_in(request.parameter("sender"));
  const auto choice = choice_in(request);
  if (!sender || !choice)
    return wrong(sender ? "id: must be the number of a letter"
                        : "sender: must be a name such as billing#17");
  const auto at_most = std::min<std::uint64_t>(
    most_listed, number_in(request.parameter("at_most")).value_or(listed_by_default));
  const auto kept = operator_.letters(operator_of(request), *sender, *choice, at_most);
  if (!kept)
    return wrong("there is no such sender", 404);
  std::string json = "{\"letters\":[";
  for (const auto& letter : kept->letters) {
    if (!json.ends_with('['))
      json += ',';
    write(json, letter, choice->id ? most_of_message : most_of_message_in_list);
  }
  json += "],\"left_out\":" + std::to_string(kept->left_out);
  json += ",\"dropped\":" + std::to_string(kept->dropped) + "}\n";
  return {200, std::move(json), json_type};
}

} // namespace backoff_actor::web
