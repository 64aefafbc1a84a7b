#pragma once

#include <string>
#include <string_view>

namespace backoffctl {

/// Returns a text in which `***` stands for each password of a URL: what follows the user in
/// `postgres://user:password@host`, and the value of `password=`.
std::string without_secrets(std::string_view text);

/// Writes `*` over the passwords of an argument of the program, which everybody may read who lists
/// the processes.
void hide_secrets(char* argument);

} // namespace backoffctl
