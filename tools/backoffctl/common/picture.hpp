#pragma once

#include "command.hpp"

#include "pictures/gnuplot.hpp"
#include "pictures/page.hpp"

#include "backoff_actor/core/problems.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace backoffctl {

/// A picture that is wanted by `--plot`, and `--log`. The end of the name tells its format.
struct PlotRequest {
  std::filesystem::path file; // *.svg or *.png
  bool is_logarithmic;

  /// Returns a page in the format of the file.
  pictures::Page page(int panels, std::size_t legend_lines = 0) const;
};

/// Reads `--plot` and `--log`; nothing, and no problem, if there is neither. A picture that cannot
/// be written is a problem now, not after long work.
///
/// @param flag how the program calls `--plot`
std::optional<PlotRequest> read_plot(const std::optional<std::string>& plot, bool log,
                                     backoff_actor::Problems& problems,
                                     const std::string& flag = "--plot");

/// The flags `--plot` and `--log` of a command.
struct PlotFlags {
  std::optional<std::string> plot{};
  bool log = false;

  /// Without `log_help` there is no `--log`.
  void declare(Command& command, const std::string& plot_help, const std::string& log_help = {});

  std::optional<PlotRequest> read(Problems& problems) const {
    return read_plot(plot, log, problems);
  }
};

/// Has gnuplot draw, in place of a picture that may be there.
///
/// @param flag how the program calls `--plot`
/// @errors throws `std::runtime_error` that names the flag and the reason; then nothing is changed.
void draw(const pictures::Picture& picture, const PlotRequest& plot,
          const std::string& flag = "--plot");

} // namespace backoffctl
