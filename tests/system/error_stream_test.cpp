// What becomes of the library's own lines, and of who says them, when nobody takes them.

#include <backoff_actor/process/internal/error_stream.hpp>

#include "common/becomes_true.hpp"
#include "common/replaced_error_stream.hpp"
#include "system.hpp"

#include <gmock/gmock.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <regex>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

namespace backoff_actor::system_test {
namespace {

using namespace std::chrono_literals;
using detail::tell_error_stream;
using test::Ends;
using test::fill;
using test::make_pipe;
using test::Owned;
using test::read_all;
using test::ReplacedErrorStream;

Ends make_sockets() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "no sockets");
  return {Owned{ends[0]}, Owned{ends[1]}};
}

Ends make_terminal() {
  Owned reading{posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  grantpt(reading.get());
  unlockpt(reading.get());
  Owned writing{open(ptsname(reading.get()), O_RDWR | O_NOCTTY | O_CLOEXEC)};
  return {std::move(reading), std::move(writing)};
}

// A stream that takes nothing until somebody lets it.
struct Stream {
  const char* name;
  Ends (*make)();
  void (*block)(const Ends&);
  void (*let_go)(const Ends&);
};

constexpr auto fill_up = [](const Ends& ends) { fill(ends.writing); };
constexpr auto empty_out = [](const Ends& ends) { read_all(ends.reading); };
// As Ctrl-S and Ctrl-Q do.
constexpr auto hold_output = [](const Ends& ends) { tcflow(ends.writing.get(), TCOOFF); };
constexpr auto resume_output = [](const Ends& ends) { tcflow(ends.writing.get(), TCOON); };

void PrintTo(const Stream& stream, std::ostream* out) { *out << stream.name; }

// From now on no line is missing.
void begin_anew() {
  const auto stream = make_pipe();
  const ReplacedErrorStream replaced{stream.writing.get()};
  tell_error_stream("");
}

class ErrorStream : public ::testing::TestWithParam<Stream> {
protected:
  void SetUp() override { begin_anew(); }

  // Whether a function returns while nobody reads. If not, somebody reads from then on, so that it
  // does.
  static bool returns_without_a_reader(const Ends& ends, const std::function<void()>& function) {
    auto end = std::async(std::launch::async, function);
    if (end.wait_for(test::patience) == std::future_status::ready)
      return true;
    GetParam().let_go(ends);
    while (end.wait_for(1ms) != std::future_status::ready)
      read_all(ends.reading);
    return false;
  }
};

TEST_P(ErrorStream, that_is_full_lets_nobody_wait_and_says_later_how_many_lines_are_missing) {
  const auto stream = GetParam().make();
  GetParam().block(stream);
  const ReplacedErrorStream replaced{stream.writing.get()};
  const auto flags = fcntl(STDERR_FILENO, F_GETFL);
  EXPECT_TRUE(returns_without_a_reader(stream, [] {
    for (const auto* line : {"first", "second", "third"})
      tell_error_stream(line);
  }));
  EXPECT_EQ(fcntl(STDERR_FILENO, F_GETFL), flags);
  GetParam().let_go(stream);
  tell_error_stream("now");
  tell_error_stream("the next");
  std::string text;
  ASSERT_TRUE(test::becomes_true(
    [&] { return (text += read_all(stream.reading)).find("the next") != std::string::npos; }))
    << text;
  std::erase(text, '\r'); // a terminal adds it
  EXPECT_THAT(text, ::testing::EndsWith("backoff_actor: 3 lines were left out here: the error "
                                        "stream took none\nnow\nthe next\n"));
}

INSTANTIATE_TEST_SUITE_P(of_each_kind, ErrorStream,
                         ::testing::Values(Stream{"a_pipe", make_pipe, fill_up, empty_out},
                                           Stream{"a_socket", make_sockets, fill_up, empty_out},
                                           Stream{"a_terminal", make_terminal, hold_output,
                                                  resume_output}),
                         [](const auto& x) { return std::string{x.param.name}; });

class error_stream : public ::testing::Test {
protected:
  void SetUp() override { begin_anew(); }
};

bool has_pending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

bool is_blocked(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

// A signal that ends the process, as it does in the beginning.
class Deadly {
public:
  explicit Deadly(int signal) : signal_(signal) {
    struct sigaction deadly {};
    deadly.sa_handler = SIG_DFL;
    sigaction(signal, &deadly, &before_);
  }
  Deadly(const Deadly&) = delete;
  Deadly& operator=(const Deadly&) = delete;
  ~Deadly() { sigaction(signal_, &before_, nullptr); }

  bool is_as_it_was() const {
    struct sigaction now {};
    sigaction(signal_, nullptr, &now);
    return now.sa_handler == SIG_DFL && !is_blocked(signal_) && !has_pending(signal_);
  }

private:
  int signal_;
  struct sigaction before_ {};
};

TEST_F(error_stream, without_a_reader_ends_no_process_and_leaves_its_signals_alone) {
  const Deadly broken_pipe{SIGPIPE};
  for (const auto make : {make_pipe, make_sockets}) {
    auto stream = make();
    stream.reading.shut();
    {
      const ReplacedErrorStream replaced{stream.writing.get()};
      tell_error_stream("first");
      std::thread{[] { tell_error_stream("second"); }}.join();
    }
    EXPECT_TRUE(broken_pipe.is_as_it_was());
  }
  const auto read = make_pipe();
  const ReplacedErrorStream replaced{read.writing.get()};
  tell_error_stream("third");
  EXPECT_EQ(read_all(read.reading),
            "backoff_actor: 4 lines were left out here: the error stream took none\nthird\n");
}

TEST_F(error_stream, leaves_a_signal_pending_that_is_somebody_elses) {
  sigset_t broken_pipe;
  sigset_t before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  raise(SIGPIPE);
  auto stream = make_pipe();
  stream.reading.shut();
  {
    const ReplacedErrorStream replaced{stream.writing.get()};
    tell_error_stream("a line");
  }
  EXPECT_TRUE(has_pending(SIGPIPE));
  EXPECT_TRUE(is_blocked(SIGPIPE));
  const timespec at_once{};
  sigtimedwait(&broken_pipe, nullptr, &at_once);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_F(error_stream, that_is_a_file_which_may_not_grow_ends_no_process) {
  const Deadly too_large{SIGXFSZ};
  std::string path = ::testing::TempDir() + "error_stream_XXXXXX";
  const Owned file{mkstemp(path.data())};
  unlink(path.c_str());
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit none{0, before.rlim_max};
  {
    const ReplacedErrorStream replaced{file.get()};
    setrlimit(RLIMIT_FSIZE, &none);
    tell_error_stream("first");
    setrlimit(RLIMIT_FSIZE, &before);
    tell_error_stream("second");
  }
  EXPECT_TRUE(too_large.is_as_it_was());
  std::array<char, 200> text{};
  EXPECT_GT(pread(file.get(), text.data(), text.size(), 0), 0);
  EXPECT_STREQ(text.data(),
               "backoff_actor: 1 line was left out here: the error stream took none\nsecond\n");
}

TEST_F(error_stream, that_takes_a_part_of_a_line_has_the_next_one_begin_a_line) {
  const auto stream = make_pipe();
  const ReplacedErrorStream replaced{stream.writing.get()};
  tell_error_stream(std::string(1'000'000, 'x'));
  const auto first = read_all(stream.reading);
  EXPECT_LT(first.size(), 1'000'000u);
  EXPECT_EQ(first, std::string(first.size(), 'x'));
  tell_error_stream("next");
  tell_error_stream("and\none \x1b[2J more");
  EXPECT_EQ(read_all(stream.reading), "\nnext\nand\\none \\u001b[2J more\n");
}

TEST_F(error_stream, has_each_line_whole_or_counted_whatever_threads_say_at_once) {
  constexpr int lines_of_each = 2000;
  const auto stream = make_pipe();
  std::string text;
  {
    const ReplacedErrorStream replaced{stream.writing.get()};
    std::atomic<int> running{4};
    std::vector<std::thread> threads;
    for (int i = 0; i != 4; ++i)
      threads.emplace_back([&] {
        for (int j = 0; j != lines_of_each; ++j)
          tell_error_stream(std::string(200, 'x'));
        --running;
      });
    while (running != 0)
      text += read_all(stream.reading);
    for (auto& thread : threads)
      thread.join();
    text += read_all(stream.reading);
    tell_error_stream("end");
    text += read_all(stream.reading);
  }
  std::istringstream lines{text};
  const std::regex notice{
    "backoff_actor: ([0-9]+) lines? (was|were) left out here: the error stream took none"};
  int found = 0;
  for (std::string line; std::getline(lines, line) && line != "end";)
    if (std::smatch match; std::regex_match(line, match, notice))
      found += std::stoi(match[1]);
    else if (line == std::string(200, 'x'))
      ++found;
    else
      ADD_FAILURE() << "a line in parts: " << line;
  EXPECT_EQ(found, 4 * lines_of_each);
}

// What says lines by itself goes on, whether nobody reads or nobody can.
class SaysLines : public System, public ::testing::WithParamInterface<bool> {
protected:
  SaysLines() : stream(make_pipe()) {
    fill(stream.writing);
    if (GetParam())
      stream.reading.shut();
    replaced.emplace(stream.writing.get());
  }

  // What was blocked goes on, so that the test can end.
  void TearDown() override {
    replaced.reset();
    std::jthread reader;
    if (!GetParam())
      reader = std::jthread{[this](const std::stop_token& stop) {
        while (!stop.stop_requested())
          read_all(stream.reading);
      }};
    go_down();
  }

  std::string ask(const caf::actor& whom) {
    auto answer = std::make_shared<std::promise<std::string>>();
    system->spawn([whom, answer](caf::event_based_actor* self) {
      self->request(whom, caf::infinite, std::string{"work"})
        .then([answer](const std::string& text) { answer->set_value(text); },
              [answer](const caf::error& error) { answer->set_value(to_string(error)); });
    });
    auto future = answer->get_future();
    return future.wait_for(test::patience) == std::future_status::ready ? future.get() : "nothing";
  }

  const Deadly broken_pipe{SIGPIPE};
  Ends stream;
  std::optional<ReplacedErrorStream> replaced;
};

TEST_P(SaysLines, a_sender_and_a_supervisor_whose_hooks_throw) {
  SenderOptions options;
  options.on_event = [](const Event&) { throw std::runtime_error("the disk is full"); };
  const auto worker = [](caf::event_based_actor*) {
    return caf::behavior{[](const std::string& text) { return text + " done"; }};
  };
  const auto sender = spawn_back_off_sender(*system, worker, options);
  EXPECT_EQ(ask(sender), "work done");

  SupervisorOptions supervised;
  supervised.on_event = [](const SupervisorEvent&) {
    throw std::runtime_error("the disk is full");
  };
  std::promise<void> is_up;
  const auto child = [&](caf::event_based_actor*) {
    is_up.set_value();
    return caf::behavior{[](const std::string& text) { return text; }};
  };
  const auto supervisor = spawn_supervisor(*system, {{"a", child}}, std::move(supervised));
  EXPECT_EQ(is_up.get_future().wait_for(test::patience), std::future_status::ready);

  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(supervisor, caf::exit_reason::user_shutdown);
}

TEST_P(SaysLines, a_shared_guard_whose_hook_throws) {
  const SharedGuard guard{{.circuit_breaker = CircuitBreakerOptions{}},
                          [](const GuardEvent&) { throw std::runtime_error("the disk is full"); }};
  auto end = std::async(std::launch::async, [guard] { guard.isolate(SteadyClock{}.now()); });
  if (end.wait_for(test::patience) != std::future_status::ready) {
    ADD_FAILURE() << "it waits for a reader";
    read_all(stream.reading);
  }
}

TEST_P(SaysLines, the_report_at_the_end_of_a_program) {
  caf::actor sender;
  auto end = std::async(std::launch::async, [&] {
    const ExitReport report{*system, {.patience = 1ms}};
    sender = spawn_back_off_sender(*system, [](caf::event_based_actor*) {
      return caf::behavior{
        [](const std::string&) -> std::string { throw std::runtime_error("out of paper"); }};
    });
    caf::anon_send(sender, std::string{"work"});
  });
  if (end.wait_for(test::patience) != std::future_status::ready) {
    ADD_FAILURE() << "it waits for a reader";
    read_all(stream.reading);
  }
  caf::anon_send_exit(sender, caf::exit_reason::kill);
}

INSTANTIATE_TEST_SUITE_P(with, SaysLines, ::testing::Bool(), [](const auto& x) {
  return std::string{x.param ? "an_error_stream_without_a_reader" : "a_full_error_stream"};
});

} // namespace
} // namespace backoff_actor::system_test
