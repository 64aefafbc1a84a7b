// A file of its own: where the compiler sees both operators it takes `free` for the wrong partner
// of `new`.

#include "common/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> count{0};

} // namespace

void* operator new(std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  if (auto* memory = std::malloc(size == 0 ? 1 : size))
    return memory;
  throw std::bad_alloc{};
}

// As `std::stable_sort` calls it. Without it, the standard library's would be freed by ours.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}

void operator delete(void* memory) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace backoff_actor::test {

std::uint64_t allocations() { return count.load(std::memory_order_relaxed); }

} // namespace backoff_actor::test
