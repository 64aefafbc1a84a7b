#include "picture.hpp"

#include "picture_script.hpp"

#include "pictures/gnuplot.hpp"

#include <fstream>
#include <stdexcept>

namespace http_guard {

std::string draw_picture(const Timeline& timeline, const std::string& title,
                         const std::filesystem::path& file) {
  try {
    const auto picture = pictures::drawn(picture_of(timeline, title));
    std::ofstream stream{file, std::ios::binary};
    stream << picture << std::flush;
    return stream ? std::string{} : file.string() + " cannot be written";
  } catch (const std::runtime_error& error) {
    std::string text = error.what();
    if (const auto end = text.find('\n'); end != std::string::npos)
      text = text.substr(0, end) + ' ' + text.substr(end + 1, text.find('\n', end + 1) - end - 1);
    return text;
  }
}

} // namespace http_guard
