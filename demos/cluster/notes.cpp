#include "notes.hpp"

#include <fstream>
#include <sstream>
#include <utility>

namespace cluster {

namespace {

std::string on_one_line(std::string text) {
  for (auto& x : text)
    if (x == '\n')
      x = ' ';
  return text;
}

} // namespace

NoteWriter::NoteWriter(const std::string& file, std::string node)
  : file_(file), node_(std::move(node)) {}

void NoteWriter::write(const std::string& word, const std::string& text) const {
  file_.write(std::to_string(now()) + ' ' + node_ + ' ' + word + ' ' + on_one_line(text));
}

std::vector<Note> NoteReader::take() {
  std::vector<Note> result;
  std::ifstream stream{file_, std::ios::binary};
  stream.seekg(read_);
  for (std::string line; std::getline(stream, line) && !stream.eof();) { // whole lines only
    read_ += static_cast<std::int64_t>(line.size()) + 1;
    std::istringstream words{line};
    Note note;
    words >> note.at >> note.node >> note.word;
    words.get();
    std::getline(words, note.text);
    result.push_back(std::move(note));
  }
  return result;
}

} // namespace cluster
