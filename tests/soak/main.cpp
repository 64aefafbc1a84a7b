// soak: senders at full load while all that can fail does. See `soak --help`.

#include "options.hpp"
#include "outcome.hpp"
#include "run.hpp"

#include "backoffctl/common/progress_line.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <variant>

namespace {

using namespace backoff_actor::soak;

std::atomic<bool> is_interrupted{false};

extern "C" void interrupt(int) { is_interrupted = true; }

// On a terminal each line takes the place of the last.
class Progress {
public:
  void tell(const Sample& sample) {
    if (is_shown_)
      std::cerr << '\r' << progress(sample) << "\x1b[K" << std::flush;
  }

  void erase() const {
    if (is_shown_)
      std::cerr << "\r\x1b[K" << std::flush;
  }

private:
  bool is_shown_ = backoffctl::is_progress_shown();
};

int soak(const Options& options) {
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  Progress progress;
  const auto outcome =
    run(options, is_interrupted, [&](const Sample& sample) { progress.tell(sample); });
  progress.erase();
  if (options.picture)
    backoffctl::draw(picture(outcome, *options.picture), *options.picture, "--picture");
  std::cout << (options.as_json ? json(outcome) : last_line(outcome) + "\n") << std::flush;
  const auto code = is_fine(outcome) && std::cout ? exit_fine : exit_failed;
  if (outcome.lost != 0 || outcome.actors_left != 0)
    std::_Exit(code); // threads of the actor system still run
  return code;
}

} // namespace

int main(int argc, char** argv) {
  try {
    const auto options = read_options(argc, argv);
    if (const auto* const code = std::get_if<int>(&options))
      return *code;
    return soak(std::get<Options>(options));
  } catch (const std::exception& exception) {
    std::cerr << "soak: " << exception.what() << '\n';
    return exit_failed;
  }
}
