#include "backoff_actor/backoff/known/internal/find_known.hpp"

#include "backoff_actor/core/text/internal/advice.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace backoff_actor {

namespace detail {

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    if (!word.empty())
      result.push_back(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return result;
}

// Whether a version is the given one, or begins with it: 6.4.1 with 6 and 6.4.
bool is_of_version(std::string_view version, std::string_view given) {
  return version.substr(0, given.size()) == given
         && (version.size() == given.size() || version[given.size()] == '.');
}

std::string list_of(const std::vector<std::string_view>& names) {
  std::string result;
  for (std::size_t i = 0; i < names.size(); ++i)
    result += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string{names[i]};
  return result;
}

template <class Get>
std::vector<std::string_view> each_once(const std::vector<const KnownPolicy*>& all, Get get) {
  std::vector<std::string_view> result;
  for (const auto* x : all)
    if (!get(*x).empty() && std::find(result.begin(), result.end(), get(*x)) == result.end())
      result.push_back(get(*x));
  return result;
}

} // namespace

const KnownPolicy* find_known(std::string_view name, Problems& problems) {
  auto words = words_of(name);
  std::vector<const KnownPolicy*> found;
  for (const auto& x : known_policies())
    found.push_back(&x);
  const auto refuse = [&](const char* field, std::string_view given, const auto& known) {
    problems.add(field, std::string{given} + did_you_mean(given, known), list_of(known));
    return nullptr;
  };
  const auto systems = each_once(found, [](const KnownPolicy& x) { return x.name; });
  const auto first = words.empty() ? std::string_view{} : words.front();
  std::erase_if(found, [&](const KnownPolicy* x) { return x->name != first; });
  if (found.empty())
    return refuse("like", first.empty() ? "nothing" : first, systems);
  words.erase(words.begin());
  if (words.empty())
    return found.front();
  const auto variants = each_once(found, [](const KnownPolicy& x) { return x.variant; });
  const auto has_variant =
    std::find(variants.begin(), variants.end(), words.front()) != variants.end();
  if (has_variant) {
    std::erase_if(found, [&](const KnownPolicy* x) { return x->variant != words.front(); });
    words.erase(words.begin());
  }
  if (words.empty())
    return found.front();
  const auto versions = each_once(found, [](const KnownPolicy& x) { return x.version; });
  const auto is_version = words.front().front() >= '0' && words.front().front() <= '9';
  if (!is_version && !has_variant && !variants.empty())
    return refuse("variant", words.front(), variants);
  if (words.size() > 1 || !is_version)
    return refuse("version", words.back(), versions);
  std::erase_if(found,
                [&](const KnownPolicy* x) { return !is_of_version(x->version, words.front()); });
  return found.empty() ? refuse("version", words.front(), versions) : found.front();
}

} // namespace detail

} // namespace backoff_actor
