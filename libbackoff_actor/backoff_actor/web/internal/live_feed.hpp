#pragma once

#include "backoff_actor/net/internal/signal.hpp"
#include "backoff_actor/sinks/observatory.hpp"
#include "backoff_actor/web/internal/live_frames.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace backoff_actor::web {

/// Looks at an observatory again and again, in a thread of its own, while anybody watches. Each
/// look is made once for all watchers.
class LiveFeed {
public:
  using Text = std::shared_ptr<const std::string>;

  /// One look, as events of the stream.
  struct Frame {
    Text changes; ///< since the frame before; none: it could not be made
    Text all;     ///< none: nobody has asked for it
  };

  /// Raises the signal when there is a frame.
  LiveFeed(const Observatory& observatory, const net::Signal& has_frame);
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;
  ~LiveFeed();

  /// Says whether anybody watches, and whether any of them has missed a look: then the next frame
  /// comes soon and has everything.
  void set(bool is_watched, bool needs_all);

  /// Returns the frame that was made meanwhile. The next look is made once this was taken.
  std::optional<Frame> take();

private:
  void run();
  Frame look(bool needs_all);

  const Observatory observatory_;
  const net::Signal& has_frame_;
  LiveFrames frames_; // the thread's
  std::mutex mutex_;  // guards what follows it, but the thread
  std::condition_variable changed_;
  std::optional<Frame> frame_;
  bool is_watched_ = false;
  bool needs_all_ = false;
  bool is_over_ = false;
  std::thread thread_;
};

} // namespace backoff_actor::web
