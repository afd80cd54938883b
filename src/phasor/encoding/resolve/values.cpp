#include "phasor/encoding/resolve/values.h"

#include <algorithm>
#include <map>

#include "phasor/base/phase.h"
#include "phasor/formula/evaluate.h"

namespace phasor {
namespace {

class Adder {
 public:
  Adder(Table& table, const ParameterValues& parameters) : table_(table), parameters_(parameters) {}

  void operator()(const GatherSource& source) const {
    const std::vector<double>& values = parameter(source.parameter);
    for (size_t e = 0; e < source.index.size(); ++e) {
      if (source.index[e] >= 0) table_.values[e] += values[static_cast<size_t>(source.index[e])];
    }
  }

  void operator()(const FormulaSource& source) const {
    std::vector<double> row_values(static_cast<size_t>(source.program.row_variables));
    std::vector<const double*> column_values(static_cast<size_t>(source.program.column_variables));
    std::vector<double> arguments(source.arguments.size());
    std::vector<double> values(static_cast<size_t>(table_.columns));
    for (int64_t r = 0; r < table_.rows; ++r) {
      const int32_t group = source.row_group[static_cast<size_t>(r)];
      if (group < 0) continue;
      int64_t from = 0;
      int64_t to = table_.columns;
      if (!source.columns.empty()) {
        from = source.columns[static_cast<size_t>(r)][0];
        to = source.columns[static_cast<size_t>(r)][1];
      }
      for (size_t v = 0; v < row_values.size(); ++v) row_values[v] = source.row_values(static_cast<int64_t>(v), r);
      for (size_t v = 0; v < column_values.size(); ++v) {
        column_values[v] = source.column_values.values.data() + static_cast<int64_t>(v) * table_.columns + from;
      }
      for (size_t k = 0; k < arguments.size(); ++k) {
        const FormulaSource::Argument& argument = source.arguments[k];
        arguments[k] = parameter(argument.parameter)[static_cast<size_t>(group) * static_cast<size_t>(argument.stride)];
      }
      evaluate(source.program,
               {.row_values = row_values.data(),
                .column_values = column_values.data(),
                .parameters = arguments.data(),
                .columns = to - from},
               values.data());
      for (int64_t c = from; c < to; ++c) table_(r, c) += values[static_cast<size_t>(c - from)];
    }
  }

  void operator()(const ProductSource& source) const {
    const std::vector<double>& weights = parameter(source.parameter);
    const Table& factors = *source.factors;
    for (int64_t r = 0; r < factors.rows; ++r) {
      for (int64_t c = 0; c < source.columns; ++c) {
        const auto weight = weights.begin() + (source.first + c) * factors.columns;
        double sum = 0.0;
        for (int64_t k = 0; k < factors.columns; ++k) sum += factors(r, k) * weight[k];
        table_(r, source.first_column + c) += sum;
      }
    }
  }

  void operator()(const MlpSource& source) const {
    const int64_t rows = static_cast<int64_t>(source.x.row_group.size());
    Table x(rows, table_.columns);
    Adder(x, parameters_)(source.x);
    const std::vector<double>& weight1 = parameter(source.weight1);
    const std::vector<double>& bias1 = parameter(source.bias1);
    const std::vector<double>& weight2 = parameter(source.weight2);
    const std::vector<double>& bias2 = parameter(source.bias2);
    const size_t hidden = weight1.size();
    for (int64_t r = 0; r < rows; ++r) {
      const auto [from, to] = source.x.columns.empty() ? std::array<int32_t, 2>{0, static_cast<int32_t>(table_.columns)}
                                                       : source.x.columns[static_cast<size_t>(r)];
      for (int64_t c = from; c < to; ++c) {
        for (size_t o = 0; o < source.heads.size(); ++o) {
          double sum = bias2[o];
          for (size_t k = 0; k < hidden; ++k) {
            sum += weight2[o * hidden + k] * std::max(0.0, weight1[k] * x(r, c) + bias1[k]);
          }
          table_(source.heads[o] * rows + r, c) += sum;
        }
      }
    }
  }

 private:
  const std::vector<double>& parameter(int64_t place) const { return parameters_[static_cast<size_t>(place)]; }

  Table& table_;
  const ParameterValues& parameters_;
};

void settle(Table& table, std::vector<TableSource>& learned, const ParameterValues& parameters) {
  for (const TableSource& source : learned) add_source(table, source, parameters);
  learned.clear();
}

}  // namespace

ParameterValues initial_values(const ResolvedEncoding& encoding, uint64_t seed) {
  ParameterValues result;
  for (const LearnedParameter& parameter : encoding.parameters) {
    result.push_back(draw(parameter.initial, parameter.size(), parameter.name, seed));
  }
  return result;
}

void add_source(Table& table, const TableSource& source, const ParameterValues& parameters) {
  std::visit(Adder(table, parameters), source);
}

ResolvedEncoding with_values(ResolvedEncoding encoding, const ParameterValues& parameters) {
  if (encoding.input) settle(encoding.input->fixed, encoding.input->learned, parameters);
  const auto settle_term = [&parameters](auto& place) {
    if (place == nullptr || place->learned.empty()) return;
    auto term = *place;
    settle(term.fixed, term.learned, parameters);
    place = std::make_shared<const decltype(term)>(std::move(term));
  };
  // What layers and heads share stays shared.
  std::map<const BiasTerm*, std::shared_ptr<const BiasTerm>> biases;
  std::map<const ScaleTerm*, std::shared_ptr<const ScaleTerm>> scales;
  std::map<const Rotation*, std::shared_ptr<const Rotation>> rotations;
  for (LayerEncoding& layer : encoding.layers) {
    if (layer.bias != nullptr && !layer.bias->learned.empty()) {
      std::shared_ptr<const BiasTerm>& settled = biases[layer.bias.get()];
      if (settled == nullptr) {
        BiasTerm bias = *layer.bias;
        settle(bias.fixed, bias.learned, parameters);
        settled = std::make_shared<const BiasTerm>(std::move(bias));
      }
      layer.bias = settled;
    }
    if (layer.row_scale != nullptr && !layer.row_scale->learned.empty()) {
      std::shared_ptr<const ScaleTerm>& settled = scales[layer.row_scale.get()];
      if (settled == nullptr) {
        ScaleTerm scale = *layer.row_scale;
        settle(scale.fixed, scale.learned, parameters);
        settled = std::make_shared<const ScaleTerm>(std::move(scale));
      }
      layer.row_scale = settled;
    }
    if (layer.sink != nullptr && !layer.sink->learned.empty()) {
      SinkTerm sink = *layer.sink;
      settle(sink.fixed, sink.learned, parameters);
      layer.sink = std::make_shared<const SinkTerm>(std::move(sink));
    }
    settle_term(layer.query_rows);
    settle_term(layer.key_rows);
    settle_term(layer.query_shift);
    settle_term(layer.row_shift);
    for (std::shared_ptr<const Rotation>& head : layer.rotation) {
      if (head == nullptr || (head->learned.empty() && head->learned_phases.empty())) continue;
      std::shared_ptr<const Rotation>& settled = rotations[head.get()];
      if (settled == nullptr) {
        Rotation rotation = *head;
        if (!rotation.learned.empty()) {
          settle(rotation.frequencies, rotation.learned, parameters);
          rotation.query = rotation_factors(rotation.frequencies, rotation.positions, rotation.magnitude);
          rotation.key = rotation.query;
        }
        if (!rotation.learned_phases.empty()) {
          settle(rotation.phases, rotation.learned_phases, parameters);
          rotation.key = with_phases(rotation.query, rotation.phases);
        }
        settled = std::make_shared<const Rotation>(std::move(rotation));
      }
      head = settled;
    }
  }
  return encoding;
}

bool LayerEncoding::learns(int64_t head) const {
  const Rotation* turning = rotation[static_cast<size_t>(head)].get();
  return turning != nullptr && !(turning->learned.empty() && turning->learned_phases.empty());
}

std::vector<std::complex<double>> with_phases(std::vector<std::complex<double>> factors, const Table& phases) {
  for (size_t i = 0; i < factors.size(); ++i) {
    factors[i] *= std::polar(1.0, phases.values[i % static_cast<size_t>(phases.columns)]);
  }
  return factors;
}

std::vector<std::complex<double>> rotation_factors(const Table& frequencies, int64_t positions, double magnitude) {
  std::vector<std::complex<double>> factors;
  factors.reserve(static_cast<size_t>(frequencies.rows * positions * frequencies.columns));
  for (int64_t r = 0; r < frequencies.rows; ++r) {
    for (int64_t p = 0; p < positions; ++p) {
      for (int64_t c = 0; c < frequencies.columns; ++c) factors.push_back(magnitude * phase(p, frequencies(r, c)));
    }
  }
  return factors;
}

}  // namespace phasor
