#pragma once

#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// Adds a flag to a command line, if it was given.
inline void add_argument(std::vector<std::string>& arguments, const std::string& name,
                         const std::optional<std::string>& given) {
  if (given)
    arguments.insert(arguments.end(), {name, *given});
}

} // namespace backoffctl
