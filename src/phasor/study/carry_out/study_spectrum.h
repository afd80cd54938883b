#pragma once
// study_spectrum.json: what a study asks of a model's logits and of its stream, before and after training.
#include <filesystem>
#include <string>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/run/session.h"
#include "phasor/study/records/run_record.h"

namespace phasor {

inline constexpr const char* kStudySpectrumFile = "study_spectrum.json";

// Of a model before its first update: the start.
void measure_start(Session& session, SpectrumRecord& record);
// Of a trained one: the end, and everything but the streams. Returns what it is made from, head by head.
std::vector<HeadMeasures> measure_end(Session& session, SpectrumRecord& record);
// Of a trained one: the streams, over as many test sequences as the model has memory for, since only tokens that stand
// at one place twice say anything.
void measure_streams(Session& session, SpectrumRecord& record);

// `run` is the id of the settings of the run that was measured: reading a file of another one is an error.
const Fields<SpectralFacts>& json_fields(const SpectralFacts*);
const Fields<SpectrumRecord>& json_fields(const SpectrumRecord*);
void write_study_spectrum(const SpectrumRecord& record, const std::filesystem::path& path, const std::string& run = "");
// Throws FormatError that names the file.
SpectrumRecord read_study_spectrum(const std::filesystem::path& path, const std::string& run = "");

}  // namespace phasor
