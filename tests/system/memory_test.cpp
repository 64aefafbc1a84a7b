// Threads that come and go leave no memory behind. Sanitizers keep books of their own, so they are
// left out.

#include "system.hpp"

#include "common/becomes_true.hpp"

#include <cstdint>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace backoff_actor::system_test {

using namespace std::chrono_literals;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// Bytes that malloc has given out and not got back, in all threads.
std::int64_t heap_now() {
  const auto info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

class ThreadedDoubler : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](std::uint64_t number) { return 2 * number; }};
  }
};

TEST_F(System, a_client_thread_that_ends_leaves_no_memory_behind) {
  const auto sender = spawn_back_off_sender(*system, child_of<ThreadedDoubler>());
  const auto come_and_go = [&] {
    std::thread{[&] {
      caf::scoped_actor self{*system};
      for (std::uint64_t i = 0; i < 200; ++i)
        self->request(sender, caf::infinite, i)
          .receive([](std::uint64_t) {}, [](const caf::error&) { FAIL(); });
    }}.join();
  };
  constexpr auto threads = 50;
  for (int i = 0; i < threads; ++i)
    come_and_go();
  const auto before = heap_now();
  for (int i = 0; i < threads; ++i)
    come_and_go();
  EXPECT_LT(heap_now() - before, threads * 1000) << "bytes after " << threads << " threads";
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
}

// Crashes on each thousandth message.
class DetachedCrasher : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[this](std::uint64_t number) {
      if (++taken_ == 1000)
        throw std::runtime_error("the thousandth");
      return number;
    }};
  }

private:
  int taken_ = 0;
};

TEST_F(System, a_child_with_a_thread_of_its_own_that_crashes_leaves_no_memory_behind) {
  SenderOptions options;
  options.backoff = Fixed{.delay = 1ms};
  const auto sender =
    spawn_back_off_sender(*system, child_of<DetachedCrasher, caf::detached>(), options);
  const auto crash = [&] { // once, for a life takes 999 messages
    caf::scoped_actor self{*system};
    for (std::uint64_t i = 0; i < 999; ++i)
      self->send(sender, i);
    for (std::uint64_t i = 0; i < 999; ++i)
      self->receive([](std::uint64_t) {});
  };
  for (int i = 0; i < 5; ++i)
    crash();
  const auto before = heap_now();
  for (int i = 0; i < 20; ++i)
    crash();
  const auto left_behind = [&] { return heap_now() - before; };
  EXPECT_TRUE(test::becomes_true(
    [&] { return left_behind() < 20 * 10'000; })) // the last threads may still be ending
    << left_behind() << " bytes after 20 crashes";
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
}

// What notes a sender must not keep the memory of one that has ended.
TEST_F(System, senders_that_come_and_go_while_a_report_notes_them_leave_no_memory_behind) {
  const ExitReport report{*system};
  const auto come_and_go = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const auto sender = spawn_back_off_sender(*system, child_of<ThreadedDoubler>());
      caf::scoped_actor self{*system};
      self->request(sender, caf::infinite, Stop{})
        .receive([](const SenderStatus&) {}, [](const caf::error&) { FAIL(); });
    }
  };
  come_and_go(100);
  const auto before = heap_now();
  come_and_go(1000);
  const auto left_behind = [&] { return heap_now() - before; };
  EXPECT_TRUE(test::becomes_true([&] { return left_behind() < 1000 * 500; }))
    << left_behind() << " bytes after 1000 senders";
}

#endif

} // namespace backoff_actor::system_test
