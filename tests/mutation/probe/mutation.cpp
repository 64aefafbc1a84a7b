// Built into a copy of the library by scripts/mutants: which mutant is at work, and which were
// reached.

#include "mutation.hpp"

#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mutation {

namespace {

unsigned char reached_here[most];

// Processes that a test starts mark the same file.
unsigned char* map_marks() {
  const char* const path = std::getenv("MUTATION_MARKS");
  const int file = path == nullptr ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return reached_here;
  void* const found = mmap(nullptr, most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return found == MAP_FAILED ? reached_here : static_cast<unsigned char*>(found);
}

int mutant_at_work() {
  const char* const number = std::getenv("MUTATION_NUMBER");
  return number == nullptr ? -1 : std::atoi(number);
}

} // namespace

unsigned char* marks() {
  static unsigned char* const result = map_marks();
  return result;
}

bool is(int number) {
  static const int at_work = mutant_at_work();
  marks()[number] = 1;
  return number == at_work;
}

} // namespace mutation
