#pragma once

#include "parts.hpp"

#include <string>

namespace supervised_service {

/// What a request for a misfortune is answered.
struct Killed {
  int status; ///< of HTTP
  std::string text;
};

/// Lets a misfortune befall the actor that is now behind a name of the tree.
///
/// @param how `crash`: it fails; `kill`: it has no choice; `hang`: it does nothing for a while
Killed kill(const Parts& parts, const std::string& name, const std::string& how);

} // namespace supervised_service
