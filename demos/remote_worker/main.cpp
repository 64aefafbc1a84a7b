// remote_worker: a sender in one process, and the workers that it guards in others, which may be
// killed, frozen and cut off.

#include "commands.hpp"
#include "options.hpp"

#include "common/arguments.hpp"

#include <exception>
#include <iostream>
#include <variant>

namespace remote_worker {

namespace {

int run(const WorkerOptions& options) { return work(options); }
int run(const SendOptions& options) { return send(options); }
int run(const AccountOptions& options) { return account(options); }

} // namespace

} // namespace remote_worker

int main(int argc, char** argv) {
  using namespace remote_worker;
  const auto parsed = parse_options(argc, argv);
  if (const auto* code = std::get_if<int>(&parsed))
    return *code;
  try {
    return std::visit([](const auto& options) { return run(options); }, std::get<Options>(parsed));
  } catch (const backoff_actor::InvalidArgument& exception) { // such as files of --tls
    example::complain("remote_worker", exception.problems());
    return exit_bad_input;
  } catch (const std::exception& exception) {
    std::cerr << "remote_worker: " << exception.what() << '\n';
    return exit_failed;
  }
}
