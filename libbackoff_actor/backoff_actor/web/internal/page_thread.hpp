#pragma once

#include "backoff_actor/net/internal/signal.hpp"
#include "backoff_actor/web/internal/web_pages.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace backoff_actor::web {

/// A thread that has pages made, one after the other, in the order in which they were asked for.
/// `WebPages` makes them. It does not bound how many wait: each is of another connection.
class PageThread {
public:
  /// A page that is asked for, or its answer.
  struct Item {
    std::uint64_t number;         ///< of the connection
    std::string text;             ///< the head of the request, or the answer
    std::function<void()> task{}; ///< is called in place of making a page; it has no answer
  };

  /// Raises the signal when there is an answer.
  PageThread(const WebPages& pages, const net::Signal& has_answers);
  PageThread(const PageThread&) = delete;
  PageThread& operator=(const PageThread&) = delete;
  /// Waits for the page that is being made, and makes no more.
  ~PageThread();

  void ask(Item question);

  /// Does not make the page, unless it has begun.
  void forget(std::uint64_t number);

  /// Returns the answers that were made meanwhile.
  std::list<Item> take_answers();

private:
  void run();

  const WebPages& pages_;
  const net::Signal& has_answers_;
  std::mutex mutex_; // guards what follows it, but the thread
  std::condition_variable has_questions_;
  std::list<Item> questions_; // lists: the thread needs no memory of its own
  std::list<Item> answers_;
  bool is_over_ = false;
  std::thread thread_;
};

} // namespace backoff_actor::web
