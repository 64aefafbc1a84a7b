// scrape: what it takes to read the metrics of many senders while they work.

#include "common/actors.hpp"
#include "common/program.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace scrape {

namespace {

using namespace benchmarks;
using namespace std::chrono_literals;

const Words words{
  "scrape",
  R"(Measures how long it takes to read the metrics of many senders, and what that costs them.

All senders have one name, and an echo as their child. A client keeps one message in each of them.
The program counts answers for a while in which nobody reads the metrics, and then for a while in
which a thread reads them once in 100 ms, as text. It does so in turn. A scrape is timed on the
wall.
)",
  "  scrape                      10,000 senders\n  scrape --senders 100000\n"};

struct Question {
  std::uint64_t senders = 10'000;
  std::uint64_t rounds = 7;
  std::uint64_t span = 1000; // ms
};

Report measure(const Question& question) {
  const backoff_actor::Observatory observatory;
  const ManySenders senders{observatory, question.senders, question.senders};
  Row scrape{"a scrape", "ms"};
  Row page{"a page", "bytes"};
  Row answers{"answers: read / not", "1/s"};
  const auto rate = [&] {
    const auto before = senders.answers();
    const auto seconds =
      seconds_of([&] { std::this_thread::sleep_for(std::chrono::milliseconds{question.span}); });
    return static_cast<double>(senders.answers() - before) / seconds;
  };
  rate(); // to warm up
  for (std::uint64_t i = 0; i < question.rounds; ++i) {
    answers.beside.push_back(rate());
    std::atomic<bool> is_over{false};
    std::thread reader{[&] {
      while (!is_over) {
        scrape.ours.push_back(1e3 * seconds_of([&] {
                                page.ours.push_back(
                                  static_cast<double>(to_exposition(observatory.metrics()).size()));
                              }));
        std::this_thread::sleep_for(100ms);
      }
    }};
    answers.ours.push_back(rate());
    is_over = true;
    reader.join();
  }
  if (median(answers.beside) == 0)
    throw std::runtime_error("the senders do not work");
  const Row longest{"the longest scrape", "ms", {}, {std::ranges::max(scrape.ours)}};
  return compared({scrape, longest, page, answers});
}

} // namespace

} // namespace scrape

int main(int argc, char** argv) {
  scrape::Question question;
  benchmarks::Program program{scrape::words};
  program.number("--senders", question.senders, 1, 1'000'000, "number of senders");
  program.number("--rounds", question.rounds, 1, 1001, "number of rounds");
  program.number("--span", question.span, 10, 60'000, "length of each half of a round, in ms");
  return program.run(argc, argv, [&] { return scrape::measure(question); });
}
