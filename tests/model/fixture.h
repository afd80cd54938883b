#pragma once
// A parity fixture: what PyTorch made of a tiny model in float64 (tools/make_fixtures.py).
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "model/model_case.h"
#include "phasor/checkpoint/safetensors.h"
#include "phasor/run/config.h"
#include "support/paths.h"

namespace phasor::testing_support {

class Fixture {
 public:
  explicit Fixture(const std::string& name)
      : file_(SafetensorsFile::open(std::string(fixtures_folder()) + "/" + name + ".safetensors")),
        errors_(metadata("float32_error")),
        adamw_(metadata("adamw")),
        data_(read_config(metadata("config"))) {
    read_batch();
    data_.parameters.resize(static_cast<size_t>(data_.layout.size()));
    for (const Parameter& entry : data_.layout.entries()) {
      const auto values = file_.data<float>("parameter/" + entry.name, entry.shape);
      std::copy(values.begin(), values.end(), data_.parameters.begin() + entry.offset);
    }
    for (const auto& still : metadata("zero_gradient")) without_gradient_.insert(still.get<std::string>());
  }

  const ModelData& data() const { return data_; }
  int64_t steps() const { return adamw_.at("steps").get<int64_t>(); }
  // Constant learning rate, no clipping.
  TrainConfig training() const {
    TrainConfig config;
    config.learning_rate = adamw_.at("lr").get<double>();
    config.beta1 = adamw_.at("betas").at(0).get<double>();
    config.beta2 = adamw_.at("betas").at(1).get<double>();
    config.epsilon = adamw_.at("eps").get<double>();
    config.weight_decay = adamw_.at("weight_decay").get<double>();
    config.clip = 0.0;
    return config;
  }

  std::vector<double> values(const std::string& tensor) const {
    const auto stored = file_.data<float>(tensor);
    return {stored.begin(), stored.end()};
  }
  // Parameters of the file that the model does not have.
  std::set<std::string> unknown_parameters() const {
    std::set<std::string> names;
    for (const std::string& name : file_.names()) {
      if (name.rfind("parameter/", 0) == 0) names.insert(name.substr(name.find('/') + 1));
    }
    for (const Parameter& entry : data_.layout.entries()) names.erase(entry.name);
    return names;
  }
  // The largest error that PyTorch makes in this tensor when it computes in float32.
  double torch_error(const std::string& tensor) const { return errors_.at(tensor).get<double>(); }
  // The loss does not depend on this parameter.
  bool without_gradient(const std::string& parameter) const { return without_gradient_.count(parameter) > 0; }

 private:
  nlohmann::json metadata(const char* key) const { return nlohmann::json::parse(file_.metadata().at(key)); }

  static ModelConfig read_config(const nlohmann::json& json) {
    ModelConfig config;
    const std::pair<const char*, int64_t ModelConfig::*> sizes[] = {
        {"layers", &ModelConfig::layers},         {"width", &ModelConfig::width},
        {"hidden", &ModelConfig::hidden},         {"heads", &ModelConfig::heads},
        {"kv_heads", &ModelConfig::kv_heads},     {"head_width", &ModelConfig::head_width},
        {"vocabulary", &ModelConfig::vocabulary}, {"classes", &ModelConfig::classes},
        {"max_length", &ModelConfig::max_length}};
    for (const auto& [key, field] : sizes) config.*field = json.at(key).get<int64_t>();
    config.ffn = json.at("ffn") == "gelu" ? Activation::gelu : Activation::relu;
    config.norm = json.at("norm") == "rms" ? NormKind::rms : NormKind::layer;
    config.causal = json.at("causal").get<bool>();
    config.dropout = json.at("dropout").get<double>();
    config.encoding = json.at("encoding").get<std::string>();
    // Only files of the released networks have these.
    config.final_norm = json.value("final_norm", true);
    config.kv_source = json.value("kv_source", "hidden") == "input" ? KvSource::input : KvSource::hidden;
    return config;
  }

  // The label that is not scored, or one that no target has.
  static int32_t read_ignored_label(const nlohmann::json& json) {
    const auto found = json.find("ignored_label");
    return found == json.end() || found->is_null() ? kNotScored : found->get<int32_t>();
  }

  void read_batch() {
    const auto tokens = file_.data<int32_t>("tokens");
    const auto offsets = file_.data<int32_t>("offsets");
    const auto labels = file_.data<int32_t>("targets");
    const int32_t ignored = read_ignored_label(metadata("config"));
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      const int32_t target = labels[s] == ignored ? kNotScored : labels[s];
      data_.batch.append(tokens.data() + offsets[s], offsets[s + 1] - offsets[s], &target, 1, -1);
    }
    data_.batch.finish();
  }

  SafetensorsFile file_;
  nlohmann::json errors_, adamw_;
  ModelData data_;
  std::set<std::string> without_gradient_;
};

}  // namespace phasor::testing_support
