// Updates whose outcomes are read later are the same updates.
#include "phasor/train/updates.h"

#include <gtest/gtest.h>

#include "model/model_case.h"
#include "support/backend.h"

namespace phasor {
namespace updates_test {

using namespace testing_support;

ModelConfig dropping_model() {
  ModelConfig config = small_model("rope+alibi");
  config.dropout = 0.2;
  return config;
}

// Batches of other lengths, of other numbers of sequences.
std::vector<Batch> some_batches(const ModelConfig& config) {
  return {draw_batch(config, {3, 10, 1, 7}, 1), draw_batch(config, {2, 2}, 2), draw_batch(config, {9, 5, 8}, 3)};
}

constexpr Capacity kRoom{.tokens = 40, .sequences = 4};

class UpdatesTest : public testing::Test {
 protected:
  const ModelData data{dropping_model(), {3, 10, 1, 7}, 4};
  const std::vector<Batch> batches = some_batches(data.config);
  const TrainConfig config = [] {
    TrainConfig train;
    train.clip = 0.5;
    return train;
  }();
  Backend& backend = test_backend();

  Transformer model() const {
    return {backend, data.config, data.encoding, {.capacity = kRoom, .dropout_seed = 3, .position_seed = 4}};
  }
  const Batch& batch(int64_t step) const { return batches[static_cast<size_t>(step) % batches.size()]; }
};

constexpr double kRate = 3e-3;
constexpr int64_t kSteps = Updates::kMostUnread + 13;

TEST_F(UpdatesTest, AreThoseThatAreReadOneByOne) {
  Transformer one = model();
  one.load_parameters(data.parameters);
  Optimizer optimizer(backend, one, config);
  std::vector<double> losses, norms;
  for (int64_t step = 1; step <= kSteps; ++step) {
    const BatchResult result = one.forward_backward(batch(step), static_cast<uint32_t>(step));
    losses.push_back(result.loss / static_cast<double>(result.scored));
    norms.push_back(optimizer.update(one, step, kRate));
  }

  Transformer other = model();
  other.load_parameters(data.parameters);
  Updates updates(backend, other, config);
  std::vector<Updates::Outcome> outcomes;
  const auto read = [&] {
    for (const Updates::Outcome& outcome : updates.read()) outcomes.push_back(outcome);
  };
  for (int64_t step = 1; step <= kSteps; ++step) {
    updates.make(batch(step), step, kRate);
    if (step % Updates::kMostUnread == 0) {
      EXPECT_TRUE(updates.is_due());
      read();
    }
  }
  read();
  EXPECT_TRUE(updates.read().empty());

  ASSERT_EQ(std::ssize(outcomes), kSteps);
  for (size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].step, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(outcomes[i].loss, losses[i]) << i;
    EXPECT_EQ(outcomes[i].gradient_norm, norms[i]) << i;
  }
  EXPECT_EQ(other.save_parameters(), one.save_parameters());
  EXPECT_NE(other.save_parameters(), data.parameters);
}

// The model goes on with another optimizer: nothing of the first one is used.
TEST_F(UpdatesTest, AnotherRunOfOneModelIsItsOwn) {
  Transformer used = model();
  used.load_parameters(data.parameters);
  {
    Updates first(backend, used, config);
    for (int64_t step = 1; step <= 5; ++step) first.make(batch(step), step, kRate);
    first.read();
  }
  used.load_parameters(data.parameters);
  Updates second(backend, used, config);
  Transformer fresh = model();
  fresh.load_parameters(data.parameters);
  Updates only(backend, fresh, config);
  for (int64_t step = 1; step <= 5; ++step) {
    second.make(batch(step), step, kRate);
    only.make(batch(step), step, kRate);
  }
  EXPECT_EQ(used.save_parameters(), fresh.save_parameters());
  EXPECT_EQ(second.read().back().loss, only.read().back().loss);
}

}  // namespace updates_test
}  // namespace phasor
