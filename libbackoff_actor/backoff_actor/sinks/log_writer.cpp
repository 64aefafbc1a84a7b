#include "backoff_actor/sinks/log_writer.hpp"

#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/process/internal/no_signals.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <poll.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace backoff_actor {

namespace {

using Clock = std::chrono::steady_clock;

// How much is written at a time. The rest of a large backlog waits as single lines, which count.
constexpr std::size_t most_bytes = std::size_t{64} * 1024;

// When a log that has nothing else to say tells how many lines were left out.
constexpr auto time_of_notice = std::chrono::seconds{1};

void write_to_error_stream(std::string_view lines) {
  while (!lines.empty()) {
    const auto count = ::write(STDERR_FILENO, lines.data(), lines.size());
    if (count > 0) {
      lines.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) { // somebody has set it so
      pollfd stream{STDERR_FILENO, POLLOUT, 0};
      poll(&stream, 1, -1);
    } else if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "cannot write to the error stream");
    }
  }
}

} // namespace

Problems check(const LogOptions& options) {
  Problems problems{"LogOptions"};
  detail::check_count(problems, "max_per_second", options.max_per_second, 1, 1'000'000);
  detail::check_count(problems, "capacity", options.capacity, 1, 1'000'000);
  if (options.patience < Duration::zero())
    problems.add("patience", to_string(options.patience), "0ns or more");
  return problems;
}

struct LogWriter::State {
  State(const LogOptions& given, Write function) : options(given), write(std::move(function)) {}

  const LogOptions options;
  const Write write;
  std::mutex mutex;
  std::condition_variable has_news;
  std::condition_variable has_ended;
  std::deque<std::string> lines;
  Clock::time_point second{};      // when the present second began
  std::uint32_t in_second = 0;     // lines
  std::uint64_t left_out = 0;      // in all
  std::uint64_t left_out_told = 0; // of these, those that the log has told of
  bool is_ending = false;
  bool is_over = false;
  bool is_abandoned = false;

  // With the mutex held.
  void note_left_out(std::size_t count) {
    left_out += count;
    if (options.observed_by)
      options.observed_by->state()->note_lines_left_out(count);
  }

  // Adds the line, or leaves it out. With the mutex held.
  void take(std::string&& line) {
    const auto now = Clock::now();
    if (now - second >= std::chrono::seconds{1}) {
      second = now;
      in_second = 0;
    }
    if (is_ending || in_second == options.max_per_second || lines.size() >= options.capacity) {
      if (left_out == left_out_told)
        has_news.notify_one();
      return note_left_out(1);
    }
    ++in_second;
    if (lines.empty())
      has_news.notify_one();
    lines.push_back(std::move(line));
  }

  // Until there is something to write, or the end.
  void wait(std::unique_lock<std::mutex>& lock) {
    const auto is_due = [this] { return is_ending || !lines.empty(); };
    while (!is_due()) {
      if (left_out == left_out_told)
        has_news.wait(lock);
      else if (!has_news.wait_for(lock, time_of_notice, is_due))
        return;
    }
  }

  // Moves lines into a text, and returns how many. With the mutex held.
  std::size_t take_out(std::string& text) {
    std::size_t count = 0;
    for (; !lines.empty() && (text.empty() || text.size() + lines.front().size() < most_bytes);
         ++count) {
      text.append(lines.front()).append("\n");
      lines.pop_front();
    }
    if (const auto news = left_out - std::exchange(left_out_told, left_out); news != 0)
      text.append(detail::line_of_left_out(news, std::chrono::system_clock::now(), options.format))
        .append("\n");
    return count;
  }
};

LogWriter::LogWriter(const LogOptions& options, Write write) {
  check(options).raise_if_any();
  state_ =
    std::make_shared<State>(options, write ? std::move(write) : Write{write_to_error_stream});
  const detail::NoSignals none;
  std::thread{[state = state_] { run(state); }}.detach();
}

LogWriter::~LogWriter() {
  std::unique_lock lock{state_->mutex};
  state_->is_ending = true;
  state_->has_news.notify_all();
  const auto is_over = [this] { return state_->is_over; };
  if (!state_->has_ended.wait_for(lock, state_->options.patience, is_over))
    state_->is_abandoned = true;
}

LogWriter::Hook LogWriter::hook() const { return {state_, state_->options}; }

std::uint64_t LogWriter::left_out() const {
  const std::lock_guard lock{state_->mutex};
  return state_->left_out;
}

void LogWriter::Hook::put(std::string line) const {
  const auto state = state_.lock();
  if (!state)
    return;
  const std::lock_guard lock{state->mutex};
  state->take(std::move(line));
}

void LogWriter::run(const std::shared_ptr<State>& state) {
  std::unique_lock lock{state->mutex};
  while (!state->is_abandoned) {
    state->wait(lock);
    std::string text;
    const auto count = state->take_out(text);
    if (text.empty()) {
      if (state->is_ending)
        break;
      continue;
    }
    lock.unlock();
    try {
      state->write(text);
      lock.lock();
    } catch (...) {
      lock.lock();
      state->note_left_out(count);
    }
  }
  state->is_over = true;
  state->has_ended.notify_all();
}

} // namespace backoff_actor
