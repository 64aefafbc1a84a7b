#include "backoffctl/common/whole_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace backoffctl::whole_file_test {

namespace fs = std::filesystem;

class whole_file : public testing::Test {
protected:
  whole_file() {
    auto name = (fs::temp_directory_path() / "whole_file.XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~whole_file() override { fs::remove_all(folder_); }

  std::string content_of(const std::string& name) const {
    std::ifstream stream{folder_ / name};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }

  auto count_of_files() const { return std::distance(fs::directory_iterator{folder_}, {}); }

  fs::path folder_;
};

TEST_F(whole_file, is_written_new_and_in_place_of_another) {
  write_whole_file(folder_ / "file", "one");
  EXPECT_EQ(content_of("file"), "one");
  write_whole_file(folder_ / "file", "two");
  EXPECT_EQ(content_of("file"), "two");
  EXPECT_EQ(count_of_files(), 1);
}

TEST_F(whole_file, keeps_the_rights_of_the_one_before) {
  write_whole_file(folder_ / "file", "one");
  fs::permissions(folder_ / "file", fs::perms::owner_read | fs::perms::owner_write);
  write_whole_file(folder_ / "file", "two");
  EXPECT_EQ(fs::status(folder_ / "file").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(whole_file, is_written_where_a_link_leads) {
  write_whole_file(folder_ / "file", "one");
  fs::create_symlink("file", folder_ / "link");
  write_whole_file(folder_ / "link", "two");
  EXPECT_EQ(content_of("file"), "two");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
}

TEST_F(whole_file, is_refused_with_its_name_and_the_reason) {
  const auto complaint = [&](const std::string& name) -> std::string {
    try {
      write_whole_file(folder_ / name, "content");
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint("nowhere/file"), (folder_ / "nowhere/file").string()
                                         + " cannot be written: there is no folder "
                                         + (folder_ / "nowhere").string());
  fs::create_directory(folder_ / "folder");
  EXPECT_EQ(complaint("folder"),
            (folder_ / "folder").string() + " cannot be written: it is a folder");
  EXPECT_EQ(count_of_files(), 1);
}

} // namespace backoffctl::whole_file_test
