// The stores of the test kit keep the promises of the port, too.

#include "backoff_actor/testing/stores/memory_server.hpp"
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

class MemoryServerPlace final : public StorePlace {
public:
  std::shared_ptr<DeliveryStore> open() override {
    return server_.store("node-a")->own(Duration::zero());
  }
  std::string name() const override { return "memory"; }

private:
  testing::MemoryServer server_{[] { return Instant{}; }};
};

} // namespace

INSTANTIATE_TEST_SUITE_P(memory, store_contract, ::testing::Values(MakeStorePlace{[] {
                           return std::make_unique<MemoryPlace>();
                         }}));
INSTANTIATE_TEST_SUITE_P(memory_server, store_contract, ::testing::Values(MakeStorePlace{[] {
                           return std::make_unique<MemoryServerPlace>();
                         }}));

} // namespace backoff_actor::store_test
