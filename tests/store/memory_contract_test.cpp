// The store of the test kit keeps the promises of the port, too.

#include "backoff_actor/testing/stores/memory_store.hpp"
#include "contract.hpp"

namespace backoff_actor::store_test {

namespace {

class MemoryPlace final : public StorePlace {
public:
  std::shared_ptr<DeliveryStore> open() override { return store_ = store_->copy(); }
  std::string name() const override { return "memory"; }

private:
  std::shared_ptr<testing::MemoryStore> store_ = std::make_shared<testing::MemoryStore>();
};

} // namespace

INSTANTIATE_TEST_SUITE_P(memory, store_contract, ::testing::Values(MakeStorePlace{[] {
                           return std::make_unique<MemoryPlace>();
                         }}));

} // namespace backoff_actor::store_test
