#include "backoff_actor/web/internal/page_thread.hpp"

#include "backoff_actor/process/internal/no_signals.hpp"

#include <utility>

namespace backoff_actor::web {

namespace {

void call(const std::function<void()>& task) {
  try {
    task();
  } catch (...) { // an exception of a user's function must not stop the thread
  }
}

} // namespace

PageThread::PageThread(const WebPages& pages, const net::Signal& has_answers)
  : pages_(pages), has_answers_(has_answers) {
  const detail::NoSignals none;
  thread_ = std::thread{[this] { run(); }};
}

PageThread::~PageThread() {
  {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
  }
  has_questions_.notify_one();
  thread_.join();
}

void PageThread::ask(Item question) {
  {
    const std::lock_guard lock{mutex_};
    questions_.push_back(std::move(question));
  }
  has_questions_.notify_one();
}

void PageThread::forget(std::uint64_t number) {
  const std::lock_guard lock{mutex_};
  std::erase_if(questions_, [number](const Item& x) { return x.number == number; });
}

std::list<PageThread::Item> PageThread::take_answers() {
  const std::lock_guard lock{mutex_};
  return std::exchange(answers_, {});
}

void PageThread::run() {
  std::unique_lock lock{mutex_};
  for (;;) {
    has_questions_.wait(lock, [this] { return is_over_ || !questions_.empty(); });
    if (is_over_)
      return;
    std::list<Item> item;
    item.splice(item.end(), questions_, questions_.begin());
    lock.unlock();
    auto& [number, text, task] = item.front();
    if (task)
      call(task);
    else
      text = pages_.answer(text);
    lock.lock();
    if (task)
      continue;
    answers_.splice(answers_.end(), item);
    has_answers_.raise();
  }
}

} // namespace backoff_actor::web
