#pragma once
// One function per command: it adds the subcommand with its options and what it does.
#include <CLI/CLI.hpp>

namespace phasor::app {

void add_train_command(CLI::App& app);
void add_evaluate_command(CLI::App& app);
void add_export_command(CLI::App& app);
void add_spectrum_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_stability_command(CLI::App& app);
void add_ablate_command(CLI::App& app);
void add_encodings_command(CLI::App& app);
void add_tasks_command(CLI::App& app);
void add_study_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_reproduce_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_pack_command(CLI::App& app);
void add_cite_command(CLI::App& app);
void add_completion_command(CLI::App& app);
void add_manual_command(CLI::App& app);

}  // namespace phasor::app
