#include "common/line_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace example {

LineFile::LineFile(std::string path, Begin begin)
  : path_(std::move(path)), file_(open(path_.c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
                                         | (begin == Begin::without_them ? O_TRUNC : 0),
                                       0644)) {
  if (file_.get() < 0)
    throw std::system_error(errno, std::generic_category(), path_);
}

void LineFile::write(std::string line) const {
  line += '\n';
  if (::write(file_.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size()))
    return;
  std::perror((path_ + ": a line cannot be written").c_str());
  std::_Exit(1);
}

} // namespace example
