// compile_time: how long a compiler takes for the first program of the README, and for the same in
// plain CAF.

#include "common/command_line.hpp"
#include "common/table.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace compile_time {

namespace {

constexpr auto description =
  R"(Compiles the first program of the README, and the same program in plain CAF, which includes no
more headers than it needs. The compiler is that of this build, with -O2 and without precompiled
headers.

The time is the processor time of the compiler. The two take turns; each round gives one ratio. The
program prints the medians and the quartiles. On a busy machine the times grow, and the ratio hardly
does.
)";

constexpr auto footer = R"(
Examples:
  compile_time
  compile_time --rounds 31

Exit codes:
  0    done
  1    a program does not compile
  2    bad input; nothing was run
)";

constexpr auto goal = 1.3;

// Replaces this process by the compiler.
[[noreturn]] void compile(const std::string& file) {
  std::vector<std::string> command{COMPILE_TIME_COMPILER, "-std=c++20", "-O2"};
  std::istringstream folders{COMPILE_TIME_INCLUDES};
  for (std::string folder; std::getline(folders, folder, ':');)
    command.push_back("-I" + folder);
  for (const auto* const more : {"-w", "-c", file.c_str(), "-o", "/dev/null"})
    command.emplace_back(more);
  std::vector<char*> arguments;
  for (auto& argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  std::perror(arguments.front());
  _exit(127);
}

// Returns the seconds of processor time that the compiler takes for a file.
double seconds_for(const std::string& file) {
  std::fflush(nullptr);
  const auto child = fork();
  if (child < 0)
    throw std::runtime_error("cannot create a process");
  if (child == 0)
    compile(file);
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(file + " does not compile");
  const auto seconds = [](const timeval& x) {
    return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A quartile: for `part` 0.25 the value that a quarter of them do not exceed.
double quartile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

std::vector<std::string> row(std::string name, const std::vector<double>& values) {
  return {std::move(name), benchmarks::with_decimals(quartile(values, 0.25), 2),
          benchmarks::with_decimals(benchmarks::median(values), 2),
          benchmarks::with_decimals(quartile(values, 0.75), 2)};
}

void measure(std::uint64_t rounds) {
  const std::string root = COMPILE_TIME_ROOT;
  const auto supervised = root + "/examples/quickstart/main.cpp";
  const auto plain = root + "/benchmarks/compile_time/plain_caf.cpp";
  std::vector<double> of_supervised;
  std::vector<double> of_plain;
  std::vector<double> ratios;
  seconds_for(plain); // the files are in memory from now on
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto first = seconds_for(round % 2 == 0 ? plain : supervised);
    const auto second = seconds_for(round % 2 == 0 ? supervised : plain);
    of_plain.push_back(round % 2 == 0 ? first : second);
    of_supervised.push_back(round % 2 == 0 ? second : first);
    ratios.push_back(of_supervised.back() / of_plain.back());
  }
  benchmarks::Table table{{"", "lower quartile", "median", "upper quartile"}};
  table.add(row("the README's program, s", of_supervised));
  table.add(row("the same in plain CAF, s", of_plain));
  table.add(row("ratio", ratios));
  std::cout << table.text() << "goal: a median ratio of at most "
            << benchmarks::with_decimals(goal, 2)
            << (benchmarks::median(ratios) <= goal ? ", kept\n" : ", missed\n");
}

} // namespace

} // namespace compile_time

int main(int argc, char** argv) {
  std::uint64_t rounds = 11;
  benchmarks::CommandLine command_line{"compile_time", compile_time::description,
                                       compile_time::footer};
  command_line.number("--rounds", rounds, 1, 1001, "number of rounds");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  try {
    compile_time::measure(rounds);
  } catch (const std::exception& error) {
    std::cerr << "compile_time: " << error.what() << '\n';
    return benchmarks::exit_failed;
  }
  return benchmarks::exit_done;
}
