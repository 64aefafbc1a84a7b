#include "picture.hpp"

#include "flag_values.hpp"
#include "whole_file.hpp"

#include "pictures/gnuplot.hpp"

#include <stdexcept>

namespace backoffctl {

std::optional<PlotRequest> read_plot(const std::optional<std::string>& plot, bool log,
                                     backoff_actor::Problems& problems, const std::string& flag) {
  if (!plot) {
    if (log)
      problems.add("--log", "needs " + flag, "");
    return std::nullopt;
  }
  const std::filesystem::path file{*plot};
  if (file.extension() != ".svg" && file.extension() != ".png") {
    problems.add(flag, quoted(*plot), "the name of a file that ends in .svg or .png");
  } else {
    try {
      check_whole_file(file);
    } catch (const std::runtime_error& error) {
      problems.add(flag, error.what(), "");
    }
  }
  return PlotRequest{file, log};
}

void PlotFlags::declare(Command& command, const std::string& plot_help,
                        const std::string& log_help) {
  command.add_flag("--plot", text(plot), "FILE", plot_help);
  if (!log_help.empty())
    command.add_switch("--log", log, log_help);
}

pictures::Page PlotRequest::page(int panels, std::size_t legend_lines) const {
  return {.panels = panels, .legend_lines = legend_lines, .is_png = file.extension() == ".png"};
}

void draw(const pictures::Picture& picture, const PlotRequest& plot, const std::string& flag) {
  try {
    write_whole_file(plot.file, pictures::drawn(picture));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error{flag + ": " + error.what()};
  }
}

} // namespace backoffctl
