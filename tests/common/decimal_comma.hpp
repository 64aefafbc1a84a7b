#pragma once

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace backoff_actor::test {

/// A program that has set a locale with a decimal comma and points between thousands, for C and for
/// C++, as long as this lives. The locale is compiled by `localedef`, which comes with the C
/// library: none has to be installed.
class DecimalComma {
public:
  DecimalComma() {
    std::string folder = (std::filesystem::temp_directory_path() / "comma_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
      throw std::runtime_error("no folder for a locale");
    folder_ = folder;
    std::ofstream{folder_ / "source"}
      << "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
    const auto command =
      "cd '" + folder + "' && localedef -c -i ./source ./comma >localedef.log 2>&1";
    // It complains of the categories that the source does not have, and makes the locale.
    [[maybe_unused]] const auto status = std::system(command.c_str());
    setenv("LOCPATH", folder.c_str(), 1);
    before_ = std::locale::global(std::locale{"comma"}); // sets that of C, too
    if (std::string{std::localeconv()->decimal_point} != ",")
      throw std::runtime_error("no locale with a decimal comma");
  }
  DecimalComma(const DecimalComma&) = delete;
  DecimalComma& operator=(const DecimalComma&) = delete;
  ~DecimalComma() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    std::filesystem::remove_all(folder_);
  }

private:
  std::filesystem::path folder_;
  std::locale before_;
};

} // namespace backoff_actor::test
