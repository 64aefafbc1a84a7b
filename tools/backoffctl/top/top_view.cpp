#include "top.hpp"

#include <algorithm>

namespace backoffctl {

namespace {

constexpr char escape = '\x1b';

// Takes the first key off what a terminal has sent: one byte, or the sequence of a special key.
std::string_view take_key(std::string_view& keys) {
  std::size_t length = 1;
  if (keys.front() == escape && keys.size() > 2 && (keys[1] == '[' || keys[1] == 'O')) {
    length = 2;
    while (length < keys.size() && (keys[length] < '@' || keys[length] > '~'))
      ++length; // the parameters
    length = std::min(length + 1, keys.size());
  }
  const auto key = keys.substr(0, length);
  keys.remove_prefix(length);
  return key;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

void remove_last_character(std::string& text) {
  while (!text.empty() && is_continuation(text.back()))
    text.pop_back();
  if (!text.empty())
    text.pop_back();
}

void edit_filter(TopView& view, std::string_view key) {
  constexpr std::size_t longest = 100;
  if (key == "\r" || key == "\n") {
    view.is_filtering = false;
  } else if (key == "\x1b") {
    view.is_filtering = false;
    view.filter.clear();
  } else if (key == "\x7f" || key == "\b") {
    remove_last_character(view.filter);
  } else if (key == "\x15") { // Ctrl-U
    view.filter.clear();
  } else if (key.size() == 1 && static_cast<unsigned char>(key.front()) >= ' '
             && view.filter.size() < longest) {
    view.filter += key;
  }
  view.first = 0;
}

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

} // namespace

TopWish press(TopView& view, std::string_view keys, std::size_t page) {
  const auto up = [&](std::size_t count) { view.first -= std::min(view.first, count); };
  while (!keys.empty()) {
    const auto key = take_key(keys);
    if (view.is_filtering)
      edit_filter(view, key);
    else if (is_one_of(key, {"q", "Q"}))
      return TopWish::end;
    else if (key == "s")
      view.order =
        static_cast<TopOrder>((static_cast<std::size_t>(view.order) + 1) % top_orders.size());
    else if (key == "/")
      view.is_filtering = true;
    else if (key == " ")
      view.is_frozen = !view.is_frozen;
    else if (key == "\x1b")
      view.filter.clear();
    else if (is_one_of(key, {"j", "\x1b[B", "\x1bOB"}))
      ++view.first;
    else if (is_one_of(key, {"k", "\x1b[A", "\x1bOA"}))
      up(1);
    else if (key == "\x1b[6~")
      view.first += page;
    else if (key == "\x1b[5~")
      up(page);
    else if (is_one_of(key, {"\x1b[H", "\x1bOH", "\x1b[1~"}))
      view.first = 0;
  }
  return TopWish::go_on;
}

} // namespace backoffctl
