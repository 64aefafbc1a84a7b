#include "life.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <sstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace backoff_actor::system_test {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// A producer that notes nothing for so long hangs.
constexpr auto patience = 60s;

Note read_note(const std::string& line) {
  Note result;
  std::istringstream words{line};
  words >> result.word >> result.number;
  std::getline(words >> std::ws, result.rest);
  return result;
}

// Reads what comes through the pipe, and strikes when it is time to.
class Watch {
public:
  Watch(int pipe, example::Process& process, const std::optional<Blow>& blow,
        const std::function<void(const Note&)>& heard)
    : pipe_(pipe), process_(process), blow_(blow), heard_(heard) {
    if (blow_ && blow_->word.empty())
      strike_at_ = Clock::now() + blow_->later;
  }

  // Returns whether the producer ended, and was not silent for too long.
  bool read_to_the_end(Life& life) {
    auto silent_at = Clock::now() + patience;
    for (;;) {
      const auto now = Clock::now();
      if (strike_at_ && now >= *strike_at_)
        strike();
      if (now >= silent_at)
        return false;
      const auto next = strike_at_ ? std::min(*strike_at_, silent_at) : silent_at;
      if (!is_readable_before(next))
        continue;
      std::array<char, 4096> buffer;
      const auto size = read(pipe_, buffer.data(), buffer.size());
      if (size <= 0)
        return true;
      silent_at = Clock::now() + patience;
      take({buffer.data(), static_cast<std::size_t>(size)}, life);
    }
  }

private:
  bool is_readable_before(Clock::time_point limit) const {
    const auto span = std::max<Clock::duration>(limit - Clock::now(), 0ns);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span);
    const timespec timeout{static_cast<std::time_t>(seconds.count()),
                           static_cast<long>(std::chrono::nanoseconds{span - seconds}.count())};
    pollfd one{pipe_, POLLIN, 0};
    return ppoll(&one, 1, &timeout, nullptr) > 0;
  }

  void take(std::string_view text, Life& life) {
    for (const auto c : text) {
      if (c != '\n') {
        line_ += c;
        continue;
      }
      life.notes.push_back(read_note(std::exchange(line_, {})));
      if (heard_)
        heard_(life.notes.back());
      if (blow_ && !blow_->word.empty() && life.notes.back().word == blow_->word
          && ++notes_ == blow_->notes)
        strike_at_ = Clock::now() + blow_->later;
    }
  }

  void strike() {
    process_.send(blow_->signal);
    strike_at_.reset();
  }

  int pipe_;
  example::Process& process_;
  const std::optional<Blow>& blow_;
  const std::function<void(const Note&)>& heard_;
  std::optional<Clock::time_point> strike_at_;
  std::size_t notes_ = 0; // of the word
  std::string line_;
};

} // namespace

bool Life::was_killed() const {
  return ending && WIFSIGNALED(ending->status) && WTERMSIG(ending->status) == SIGKILL;
}

std::size_t Life::count(std::string_view word) const {
  return static_cast<std::size_t>(
    std::count_if(notes.begin(), notes.end(), [&](const Note& note) { return note.word == word; }));
}

Life live(const std::filesystem::path& file, const Work& work, const std::optional<Blow>& blow,
          const std::function<void(const Note&)>& heard) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "no pipe to the producer");
  const example::FileDescriptor from_it{ends[0]};
  std::optional<example::FileDescriptor> its_end{ends[1]};
  const auto program =
    std::filesystem::read_symlink("/proc/self/exe").parent_path() / "durable_producer";
  example::Process process{{program, file, std::to_string(work.from), std::to_string(work.count),
                            std::to_string(work.poison), std::to_string(work.max_in_flight),
                            std::to_string(work.max_batch)},
                           {.out = its_end->get()}};
  its_end.reset();

  Life result;
  if (Watch{from_it.get(), process, blow, heard}.read_to_the_end(result))
    result.ending = process.wait();
  return result;
}

std::string to_string(const Life& life) {
  std::ostringstream result;
  for (const auto& note : life.notes)
    result << note.word << ' ' << note.number << ' ' << note.rest << '\n';
  return result.str() + (life.ending ? to_string(*life.ending) : "silent for too long");
}

} // namespace backoff_actor::system_test
