#include "picture.hpp"

#include "common/process.hpp"
#include "picture_script.hpp"

#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <system_error>

namespace http_guard {

std::string draw_picture(const Timeline& timeline, const std::string& title,
                         const std::filesystem::path& file, const std::filesystem::path& folder) {
  const auto script = folder / "picture.gp";
  const auto drawn = folder / "picture.svg";
  const auto complaints = folder / "complaints.txt";
  {
    std::ofstream stream{script};
    write_picture_script(stream, timeline, title);
  }
  const auto create = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const example::FileDescriptor in{open(script.c_str(), O_RDONLY | O_CLOEXEC)};
  const example::FileDescriptor out{open(drawn.c_str(), create, 0644)};
  const example::FileDescriptor err{open(complaints.c_str(), create, 0644)};
  try {
    example::Process gnuplot{{"gnuplot"}, {in.get(), out.get(), err.get()}};
    if (!gnuplot.wait().is_success()) {
      std::ifstream stream{complaints};
      const std::string text{std::istreambuf_iterator<char>{stream}, {}};
      return "gnuplot failed: " + text.substr(0, text.find('\n'));
    }
  } catch (const std::system_error&) {
    return "gnuplot cannot be started. To install it: apt-get install gnuplot-nox";
  }
  std::error_code error;
  std::filesystem::copy_file(drawn, file, std::filesystem::copy_options::overwrite_existing, error);
  return error ? file.string() + ": " + error.message() : std::string{};
}

} // namespace http_guard
