#pragma once

#include "messages.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace supervised_service {

/// How long an actor hangs that is told to.
inline constexpr std::chrono::seconds hang_time{5};

/// A handler for whoever may be told to crash.
inline constexpr auto crash_when_told = [](const Crash&) {
  throw std::runtime_error("told to crash");
};

/// A handler for whoever may be told to hang, and has a thread of its own.
inline constexpr auto hang_when_told = [](const Hang&) { std::this_thread::sleep_for(hang_time); };

} // namespace supervised_service
