// The largest eigenvalue of the Hessian: of quadratics by hand, of small models as PyTorch has it.
#include "phasor/train/hessian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/fixture.h"
#include "model/thread_guard.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "support/backend.h"
#include "support/paths.h"

namespace phasor {
namespace hessian_test {

using testing_support::Fixture;
using testing_support::options_for;
using testing_support::test_backend;
using testing_support::ThreadGuard;

// f(w) = sum of curvature_i w_i^2 / 2, in coordinates turned by one Householder reflection.
class Quadratic {
 public:
  explicit Quadratic(std::vector<double> curvatures) : curvatures_(std::move(curvatures)), u_(curvatures_.size()) {
    double squares = 0.0;
    for (size_t i = 0; i < u_.size(); ++i) {
      u_[i] = 1.0 / (1.0 + static_cast<double>(i));
      squares += u_[i] * u_[i];
    }
    for (double& value : u_) value /= std::sqrt(squares);
  }

  std::vector<double> gradient(const std::vector<float>& w) const {
    std::vector<double> x = reflected({w.begin(), w.end()});
    for (size_t i = 0; i < x.size(); ++i) x[i] *= curvatures_[i];
    return reflected(x);
  }

  std::vector<double> reflected(std::vector<double> x) const {
    double along = 0.0;
    for (size_t i = 0; i < x.size(); ++i) along += u_[i] * x[i];
    for (size_t i = 0; i < x.size(); ++i) x[i] -= 2.0 * along * u_[i];
    return x;
  }

 private:
  std::vector<double> curvatures_, u_;
};

HessianTop top_of(const Quadratic& f, const std::vector<float>& at, const HessianOptions& options = {}) {
  return hessian_top([&](const std::vector<float>& w) { return f.gradient(w); }, at, options);
}

const std::vector<float> kPoint = {0.5f, -1.0f, 2.0f, 0.25f, 3.0f};

TEST(Hessian, OfAQuadraticIsItsLargestCurvature) {
  const Quadratic f({1.0, 7.0, 3.0, -2.0, 0.0});
  const HessianTop top = top_of(f, kPoint, {.tolerance = 1e-6});
  EXPECT_TRUE(top.converged);
  EXPECT_FALSE(top.negative_first);
  // Differences of a quadratic are exact but for the rounding of float coordinates, which the smallest step feels.
  EXPECT_NEAR(top.eigenvalue, 7.0, top.difference_error + top.residual);
  EXPECT_LT(top.residual, 7e-6);
  EXPECT_LT(top.difference_error, 1e-4);
  // The second coordinate axis, turned.
  const std::vector<double> axis = f.reflected({0.0, 1.0, 0.0, 0.0, 0.0});
  double along = 0.0;
  for (size_t i = 0; i < axis.size(); ++i) along += axis[i] * top.vector[i];
  EXPECT_NEAR(std::abs(along), 1.0, 1e-10);
}

TEST(Hessian, ALargerNegativeCurvatureIsMetAndLeft) {
  const HessianTop top = top_of(Quadratic({1.0, 4.0, 3.0, -9.0, 0.0}), kPoint);
  EXPECT_TRUE(top.converged);
  EXPECT_TRUE(top.negative_first);
  EXPECT_NEAR(top.most_negative, -9.0, 1e-2);
  EXPECT_NEAR(top.eigenvalue, 4.0, top.difference_error + top.residual);
}

TEST(Hessian, SaysWhereItHasNotConverged) {
  const HessianTop top =
      top_of(Quadratic({7.0, 6.99, 3.0, 1.0, 0.5}), kPoint, {.max_iterations = 3, .tolerance = 1e-9});
  EXPECT_FALSE(top.converged);
  EXPECT_GT(top.residual, 1e-9 * 7.0);
  // What a residual promises holds all the same.
  double nearest = 100.0;
  for (const double curvature : {7.0, 6.99, 3.0, 1.0, 0.5}) {
    nearest = std::min(nearest, std::abs(curvature - top.eigenvalue));
  }
  EXPECT_LE(nearest, top.residual + top.difference_error);
}

TEST(Hessian, OfNothingIsRefused) {
  const auto nothing = [](const std::vector<float>&) { return std::vector<double>(); };
  EXPECT_THROW(hessian_top(nothing, {}), Error);
  const auto broken = [](const std::vector<float>& w) { return std::vector<double>(w.size(), std::nan("")); };
  EXPECT_THROW(hessian_top(broken, kPoint), Error);
}

TEST(Hessian, OfALineIsZero) {
  const HessianTop top = hessian_top(
      [](const std::vector<float>&) {
        return std::vector<double>{1.0, 2.0};
      },
      {3.0f, 4.0f});
  EXPECT_EQ(top.eigenvalue, 0.0);
  EXPECT_EQ(top.residual, 0.0);
}

class HessianParity : public testing::TestWithParam<std::string> {
 protected:
  const ThreadGuard one_thread_{1};
};

TEST_P(HessianParity, AgreesWithPyTorch) {
  const auto file = nlohmann::json::parse(read_file(std::string(fixtures_folder()) + "/hessian.json"));
  const nlohmann::json& truth = file.at("cases").at(GetParam());
  const Fixture fixture(GetParam());
  Transformer model(test_backend(), fixture.data().config, fixture.data().encoding,
                    options_for(fixture.data().batch, Dtype::f32));
  model.load_parameters(fixture.data().parameters);
  const HessianTop top = hessian_top(model, {fixture.data().batch});
  RecordProperty("eigenvalue", std::to_string(top.eigenvalue));
  EXPECT_TRUE(top.converged) << top.residual << " after " << top.iterations;
  const double largest = truth.at("largest").get<double>();
  const double second = truth.at("next_largest").get<double>();
  // For a symmetric matrix the quotient is off by at most residual^2 / gap; the differences have their own error.
  const double bound = top.residual * top.residual / (largest - second) + top.difference_error;
  EXPECT_LT(bound, 1e-2 * largest) << "the bound must say something";
  EXPECT_NEAR(top.eigenvalue, largest, bound)
      << "residual " << top.residual << ", difference error " << top.difference_error << ", step " << top.step;
  EXPECT_EQ(model.save_parameters(), fixture.data().parameters);
  const double smallest = truth.at("smallest").get<double>();
  EXPECT_EQ(top.negative_first, -smallest > largest);
  if (!top.negative_first) return;
  EXPECT_NEAR(top.most_negative, smallest, 1e-2 * std::abs(smallest));
}

TEST_P(HessianParity, SequencesInTwoBatchesGiveTheSame) {
  const Fixture fixture(GetParam());
  const Batch& whole = fixture.data().batch;
  std::vector<Batch> parts(2);
  for (int64_t s = 0; s < whole.sequence_count(); ++s) {
    const auto i = static_cast<size_t>(s);
    const int32_t* tokens = whole.tokens.data() + whole.offsets[i];
    parts[s < 2 ? 0 : 1].append(tokens, whole.offsets[i + 1] - whole.offsets[i], &whole.targets[i], 1, -1);
  }
  for (Batch& part : parts) part.finish();
  Transformer model(test_backend(), fixture.data().config, fixture.data().encoding, options_for(whole, Dtype::f32));
  model.load_parameters(fixture.data().parameters);
  const HessianTop together = hessian_top(model, {whole});
  const HessianTop apart = hessian_top(model, parts);
  EXPECT_NEAR(apart.eigenvalue, together.eigenvalue,
              together.difference_error + apart.difference_error + together.residual + apart.residual);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, HessianParity, testing::Values("rope", "rope_causal_gelu", "alibi_rms"),
                         [](const auto& tested) { return tested.param; });

}  // namespace hessian_test
}  // namespace phasor
