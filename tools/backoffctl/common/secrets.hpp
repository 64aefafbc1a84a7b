#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace backoffctl {

/// Returns a text in which `***` stands for each password of a URL: what follows the user in
/// `postgres://user:password@host`, and the value of `password=`, with blanks around the sign or
/// without.
std::string without_secrets(std::string_view text);

/// Writes `*` over the passwords of an argument of the program, which everybody may read who lists
/// the processes.
void hide_secrets(char* argument);

/// Writes complaints that repeat no password of the program's arguments, whatever else is wrong
/// with them.
class Complaints {
public:
  explicit Complaints(const std::vector<std::string>& arguments);

  /// Returns the text `without_secrets`, and without those of the arguments, whatever they hold.
  std::string text_of(std::string text) const;

private:
  struct Argument {
    std::string written; // as it may stand in a text
    std::string shown;
  };

  std::vector<Argument> secrets_; // those with a password
};

} // namespace backoffctl
