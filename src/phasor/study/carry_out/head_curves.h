#pragma once
// head_curves.json: what a trained model's heads look like as curves, for pictures. Singular values, eigenvalues and
// kernels are those of one test sequence, the longest of the first ones; shares and contraction are means over these.
#include <complex>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/run/session.h"
#include "phasor/spectrum/model_spectrum.h"

namespace phasor {

inline constexpr const char* kHeadCurvesFile = "head_curves.json";

struct HeadCurves {
  int64_t layer = 0, head = 0;
  std::vector<double> singular;  // of the logits, falling
  std::vector<double> plain;     // of the same queries and keys with angles at zero; empty where nothing turns
  std::vector<std::complex<double>> eigenvalues;  // of the logits; empty where they are causal
  std::vector<double> kernel;                     // over key - query, from -(tokens - 1)
  PartShares shares;
  double contraction = 1.0;
};

struct CurvesRecord {
  int64_t tokens = 0;
  std::vector<HeadCurves> heads;  // layer by layer; a head whose logits are not finite is left out
};

const Fields<CurvesRecord>& json_fields(const CurvesRecord*);

// `measures` of the same model: measure_heads().
CurvesRecord measure_head_curves(Session& session, const std::vector<HeadMeasures>& measures);

// `run` is the id of the settings of the run that was measured: reading a file of another one is an error.
void write_head_curves(const CurvesRecord& record, const std::filesystem::path& path, const std::string& run = "");
// Throws FormatError that names the file.
CurvesRecord read_head_curves(const std::filesystem::path& path, const std::string& run = "");

}  // namespace phasor
