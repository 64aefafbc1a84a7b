#include "common/memory.hpp"

#include <fstream>
#include <malloc.h>
#include <stdexcept>
#include <unistd.h>

namespace benchmarks {

Memory memory_now() {
  const auto heap = mallinfo2();
  std::int64_t size = 0;
  std::int64_t resident = 0;
  if (!(std::ifstream{"/proc/self/statm"} >> size >> resident))
    throw std::runtime_error("/proc/self/statm cannot be read");
  return {static_cast<std::int64_t>(heap.uordblks + heap.hblkhd), resident * sysconf(_SC_PAGESIZE)};
}

void trim_memory() { malloc_trim(0); }

} // namespace benchmarks
