#include "backoff_actor/web/internal/web_loop.hpp"

#include "backoff_actor/process/internal/no_signals.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <iterator>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>
#include <vector>

namespace backoff_actor::web {

namespace {

using namespace std::chrono_literals;

// The most connections. A process may have 1024 descriptors by default, and needs most of them for
// other things. When another client comes, an old one has to go: a probe is never too late because
// others came before it.
constexpr std::size_t most_connections = 128;

// The most bytes of answers that clients have not taken yet, unless a single one is larger.
constexpr std::size_t most_bytes = std::size_t{64} * 1024 * 1024;

// The most clients that are let in in a row; then those that are in have their turn.
constexpr int most_accepted = 16;

// The most watchers. Each browser has one for each of its tabs that shows the page.
constexpr std::ptrdiff_t most_watchers = 32;

// How often a refusal is told at the most.
constexpr auto time_between_refusals = 1s;

// How long the listener rests if there is no descriptor for who comes.
constexpr auto time_to_rest = 100ms;

net::Descriptor any_descriptor() {
  return net::Descriptor{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
}

bool is_idle(const WebConnection& connection) {
  return connection.state() == WebConnection::State::greeting
         || connection.state() == WebConnection::State::asking
         || connection.state() == WebConnection::State::leaving;
}

bool is_watching(const WebConnection& connection) {
  return connection.state() == WebConnection::State::watching;
}

} // namespace

WebLoop::WebLoop(Entrance entrance, const WebPages& pages, const Observatory& observatory)
  : pages_(pages), entrance_(std::move(entrance)), spare_(any_descriptor()),
    in_turn_(pages, has_news_), by_actor_(pages, has_news_), feed_(observatory, has_news_) {
  const detail::NoSignals none;
  thread_ = std::thread{[this] { run(); }};
}

WebLoop::~WebLoop() {
  is_over_ = true;
  has_news_.raise();
  thread_.join();
  entrance_.listener.close();
  connections_.clear(); // now, however long a page takes
}

void WebLoop::run() {
  while (!is_over_) {
    try {
      turn();
    } catch (...) { // no memory is left: whatever the clients wanted, they can ask again
      while (!connections_.empty())
        end(connections_.begin()->first);
      rests_until_ = Clock::now() + time_to_rest;
    }
  }
}

void WebLoop::turn() {
  if (!spare_)
    spare_ = any_descriptor();
  const auto begin = Clock::now();
  const auto rests = begin < rests_until_;
  std::vector<pollfd> asked{{has_news_.descriptor().get(), POLLIN, 0},
                            {rests ? -1 : entrance_.listener.get(), POLLIN, 0}};
  std::vector<Number> numbers;
  for (const auto& [number, connection] : connections_) {
    asked.push_back({connection.descriptor(), connection.events(), 0});
    numbers.push_back(number);
  }
  if (poll(asked.data(), asked.size(), time_to_wait(begin)) < 0 && errno != EINTR)
    throw std::system_error(errno, std::generic_category(), "cannot wait");
  if (asked[0].revents != 0) {
    has_news_.lower();
    deliver();
  }
  for (std::size_t i = 0; i != numbers.size(); ++i)
    if (asked[i + 2].revents != 0)
      move(numbers[i]);
  if (asked[1].revents != 0)
    accept_some();
  bound_answers();
  end_what_is_due(Clock::now());
  tell_feed();
}

// In milliseconds, as poll(2) wants it; negative: until something happens.
int WebLoop::time_to_wait(Clock::time_point now) const {
  auto next = now < rests_until_ ? rests_until_ : Clock::time_point::max();
  for (const auto& [number, connection] : connections_)
    next = std::min(next, connection.due());
  if (next == Clock::time_point::max())
    return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - now);
  return static_cast<int>(std::max(left, 0ms).count());
}

// -- who comes ----------------------------------------------------------------------

void WebLoop::accept_some() {
  for (int i = 0; i != most_accepted; ++i) {
    auto [socket, peer] = net::accept_at(entrance_.listener);
    if (socket) {
      make_room();
      const auto number = ++last_;
      refresh_tls();
      connections_.emplace(number, WebConnection{std::move(socket), peer, entrance_.tls});
      move(number); // most have asked already
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      // Only the first is known to wait: without a descriptor, this fails for nobody, too.
      if (i != 0)
        return;
      if (!free_a_descriptor()) {
        rests_until_ = Clock::now() + time_to_rest;
        return;
      }
    } else if (errno != ECONNABORTED && errno != EINTR) {
      return; // nobody waits
    }
  }
}

// Otherwise a probe would fail because the rest of the process has taken all descriptors.
bool WebLoop::free_a_descriptor() {
  if (spare_)
    spare_.close();
  else if (!connections_.empty())
    end(connections_.begin()->first);
  else
    return false;
  return true;
}

// Lets go of the oldest of those who only hold their place, if they are in the majority, otherwise
// of the oldest of the others. So neither kind can push the other out. Watchers are few, and stay.
void WebLoop::make_room() {
  if (connections_.size() < most_connections)
    return;
  const auto idle =
    std::ranges::count_if(connections_, [](const auto& x) { return is_idle(x.second); });
  const auto watching =
    std::ranges::count_if(connections_, [](const auto& x) { return is_watching(x.second); });
  const auto is_of_idle = idle > (std::ssize(connections_) - watching) / 2;
  const auto oldest = std::ranges::find_if(connections_, [&](const auto& x) {
    return is_idle(x.second) == is_of_idle && !is_watching(x.second);
  });
  end(oldest->first);
}

// -- who is there -------------------------------------------------------------------

void WebLoop::move(Number number) {
  const auto found = connections_.find(number);
  if (found == connections_.end())
    return;
  auto& connection = found->second;
  connection.move();
  if (auto why = connection.take_refusal(); !why.empty())
    tell_refusal(connection, std::move(why));
  if (connection.state() == WebConnection::State::asked) {
    auto head = connection.take_head();
    switch (WebPages::way_of(head)) {
    case WebPages::Way::as_stream:
      return begin_to_watch(number, head);
    case WebPages::Way::by_actor:
      return by_actor_.ask({number, std::move(head)});
    case WebPages::Way::in_turn:
      return in_turn_.ask({number, std::move(head)});
    case WebPages::Way::at_once:
      connection.answer(pages_.answer(head));
      connection.move();
    }
  }
  if (connection.state() == WebConnection::State::over)
    end(number);
}

// The first text says only that it has begun. The next look brings the rest.
void WebLoop::begin_to_watch(Number number, const std::string& head) {
  auto& connection = connections_.at(number);
  const auto watchers =
    std::ranges::count_if(connections_, [](const auto& x) { return is_watching(x.second); });
  if (auto refusal = pages_.refusal_of_stream(head, watchers < most_watchers); !refusal.empty()) {
    connection.answer(std::move(refusal));
    connection.move();
  } else {
    connection.watch(WebPages::beginning_of_stream());
  }
  if (connection.state() == WebConnection::State::over)
    end(number);
}

void WebLoop::show(const LiveFeed::Frame& frame) {
  for (auto next = connections_.begin(); next != connections_.end();) {
    auto& [number, connection] = *next++;
    if (!is_watching(connection))
      continue;
    connection.offer(frame.changes, frame.all);
    if (connection.state() == WebConnection::State::over)
      end(number);
  }
}

void WebLoop::tell_feed() {
  auto is_watched = false;
  auto needs_all = false;
  for (const auto& [number, connection] : connections_)
    if (is_watching(connection)) {
      is_watched = true;
      needs_all = needs_all || connection.needs_all();
    }
  feed_.set(is_watched, needs_all);
}

void WebLoop::deliver() {
  if (const auto frame = feed_.take())
    show(*frame);
  auto answers = in_turn_.take_answers();
  answers.splice(answers.end(), by_actor_.take_answers());
  for (auto& answer : answers)
    if (const auto found = connections_.find(answer.number); found != connections_.end()) {
      found->second.answer(std::move(answer.text));
      move(answer.number);
    }
}

// -- what TLS has to say ------------------------------------------------------------

void WebLoop::refresh_tls() {
  if (!entrance_.tls)
    return;
  const auto reread = entrance_.tls->refresh(Clock::now());
  if (!reread)
    return;
  if (reread->problem.empty())
    tell({NetworkEvent::Kind::files_reread, {}, {}, {}});
  else
    tell({NetworkEvent::Kind::files_not_usable, {}, {}, reread->problem});
}

void WebLoop::tell_refusal(const WebConnection& connection, std::string why) {
  const auto now = Clock::now();
  if (now < no_refusal_until_) {
    ++untold_refusals_;
    return;
  }
  if (untold_refusals_ != 0)
    why += " (" + std::to_string(untold_refusals_) + " more before it)";
  untold_refusals_ = 0;
  no_refusal_until_ = now + time_between_refusals;
  tell({NetworkEvent::Kind::refused, connection.peer(), connection.subject(), std::move(why)});
}

// In the thread for actions: the function may take long.
void WebLoop::tell(NetworkEvent event) {
  by_actor_.ask({0, {}, [hook = entrance_.on_event, event = std::move(event)] { hook(event); }});
}

void WebLoop::bound_answers() {
  std::size_t bytes = 0;
  for (const auto& [number, connection] : connections_)
    bytes += connection.held_bytes();
  for (auto next = connections_.begin(); bytes > most_bytes;) {
    const auto& [number, connection] = *next++;
    const auto held = connection.held_bytes();
    if (held == bytes)
      return; // the only one
    bytes -= held;
    if (held != 0)
      end(number);
  }
}

void WebLoop::end_what_is_due(Clock::time_point now) {
  for (auto next = connections_.begin(); next != connections_.end();) {
    const auto& [number, connection] = *next++;
    if (now >= connection.due())
      end(number);
  }
}

void WebLoop::end(Number number) {
  in_turn_.forget(number);
  by_actor_.forget(number);
  connections_.erase(number);
}

} // namespace backoff_actor::web
