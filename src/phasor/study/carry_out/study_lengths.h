#pragma once
// lengths.json: accuracy on sequences longer than those of training, for a study.
#include <filesystem>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/run/session.h"
#include "phasor/study/records/run_record.h"

namespace phasor {

inline constexpr const char* kStudyLengthsFile = "lengths.json";
inline constexpr int64_t kLengthSamples = 1024;

// One factor that was asked for.
struct MeasuredLength {
  double factor = 1.0;
  std::optional<LengthRecord> record;  // nothing where the task or the encoding cannot do it
  std::string reason;                  // why not
};

// Of the session's trained model, on kLengthSamples samples.
const Fields<MeasuredLength>& json_fields(const MeasuredLength*);

MeasuredLength measure_length(Session& session, double factor);

bool has_length(const std::vector<MeasuredLength>& lengths, double factor);

// By rising factor, whatever order they were measured in.
// `run` is the id of the settings of the run that was measured: reading a file of another one is an error.
void write_study_lengths(std::vector<MeasuredLength> lengths, const std::filesystem::path& path,
                         const std::string& run = "");
// Throws FormatError that names the file.
std::vector<MeasuredLength> read_study_lengths(const std::filesystem::path& path, const std::string& run = "");

}  // namespace phasor
