#pragma once

#include "common/becomes_true.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <string>

namespace backoff_actor::test {

/// A call of `more_metrics` that returns when it is told to.
class HangingPage {
public:
  std::function<std::string()> function() {
    return [this] {
      has_begun_ = true;
      free_.wait();
      has_returned_ = true;
      return std::string{"late 1\n"};
    };
  }
  bool has_begun() const {
    return becomes_true([this] { return has_begun_.load(); });
  }
  bool has_returned() const { return has_returned_; }
  void let_go() { promise_.set_value(); }

private:
  std::atomic<bool> has_begun_ = false;
  std::atomic<bool> has_returned_ = false;
  std::promise<void> promise_;
  std::shared_future<void> free_{promise_.get_future()};
};

} // namespace backoff_actor::test
