#include "phasor/study/carry_out/study_runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/folder_claim.h"
#include "phasor/base/threads.h"
#include "phasor/run/config_json.h"
#include "phasor/study/carry_out/run_measures.h"
#include "phasor/study/carry_out/run_work.h"
#include "phasor/train/train_in_folder.h"

namespace phasor {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// What all workers share. Every member function may be called by any of them.
class Board {
 public:
  Board(const std::vector<PlannedRun>& runs, const StudyFolder& folder, const RunnerCallbacks& callbacks)
      : runs_(runs), folder_(folder), callbacks_(callbacks), shares_(runs.size(), 0.0), told_(runs.size(), false) {
    for (size_t i = 0; i < runs.size(); ++i) {
      work_.push_back(expected_work(runs[i]));
      all_work_ += work_.back().all();
      // A failure is tried again: what stood in the way may be gone.
      if (!is_complete(folder, runs[i])) {
        waiting_.push_back(i);
        continue;
      }
      folder.clear_failure(runs[i]);
      shares_[i] = 1.0;
      ++progress_.before;
      ++progress_.done;
    }
    progress_.runs = static_cast<int64_t>(runs.size());
    work_before_ = done_work();
  }

  bool stopping() {
    if (stopped_) return true;
    const std::lock_guard guard(mutex_);
    if (callbacks_.stop && callbacks_.stop()) stopped_ = true;
    return stopped_;
  }

  bool was_stopped() const { return stopped_; }

  std::optional<size_t> take() {
    if (stopping()) return std::nullopt;
    const std::lock_guard guard(mutex_);
    if (next_ == waiting_.size()) return std::nullopt;
    const size_t run = waiting_[next_++];
    progress_.active.push_back({&runs_[run], "starting", 0.0});
    tell();
    return run;
  }

  void update(size_t run, std::string_view what, double share) {
    const std::lock_guard guard(mutex_);
    // What an earlier sitting had done of the run says nothing about how fast this one is.
    if (!told_[run]) work_before_ += share * work_[run].all();
    told_[run] = true;
    shares_[run] = share;
    if (ActiveRun* active = find(run)) {
      active->what = what;
      active->share = share;
    }
    tell();
  }

  void finish(size_t run, const RunFailure* failure) {
    const std::lock_guard guard(mutex_);
    shares_[run] = 1.0;
    ++progress_.done;
    if (failure != nullptr) ++progress_.failed;
    leave(run);
    tell();
    if (callbacks_.finished) callbacks_.finished(runs_[run], failure, progress_);
  }

  void put_back(size_t run) {
    const std::lock_guard guard(mutex_);
    leave(run);
  }

  // Nothing more can be written: the others save what they can and stop.
  void give_up(std::exception_ptr error) {
    const std::lock_guard guard(mutex_);
    if (!error_) error_ = std::move(error);
    stopped_ = true;
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

  const PlannedRun& run(size_t index) const { return runs_[index]; }
  const RunWork& work(size_t index) const { return work_[index]; }
  const StudyFolder& folder() const { return folder_; }

 private:
  ActiveRun* find(size_t run) {
    for (ActiveRun& active : progress_.active) {
      if (active.run == &runs_[run]) return &active;
    }
    return nullptr;
  }

  void leave(size_t run) {
    std::erase_if(progress_.active, [&](const ActiveRun& active) { return active.run == &runs_[run]; });
  }

  double done_work() const {
    double sum = 0.0;
    for (size_t i = 0; i < shares_.size(); ++i) sum += shares_[i] * work_[i].all();
    return sum;
  }

  void tell() {
    const double done = done_work();
    progress_.work = all_work_ > 0.0 ? done / all_work_ : 1.0;
    progress_.seconds = seconds_since(start_);
    constexpr double kLeastSeconds = 1.0;
    const double now = done - work_before_;
    progress_.seconds_left =
        progress_.seconds < kLeastSeconds || now <= 0.0 ? -1.0 : progress_.seconds * (all_work_ - done) / now;
    if (callbacks_.progress) callbacks_.progress(progress_);
  }

  const std::vector<PlannedRun>& runs_;
  const StudyFolder& folder_;
  const RunnerCallbacks& callbacks_;
  std::vector<RunWork> work_;
  std::vector<double> shares_;  // of each run that are done
  std::vector<bool> told_;      // whether a share was told in this sitting
  std::vector<size_t> waiting_;
  size_t next_ = 0;
  double all_work_ = 0.0, work_before_ = 0.0;
  StudyProgress progress_;
  std::atomic<bool> stopped_ = false;
  std::exception_ptr error_;
  Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
};

// A folder that another version of the settings left, or that somebody put there.
void require_own_config(const RunFolder& folder, const PlannedRun& run) {
  if (config_id(folder.load_config()) == run.id) return;
  throw FormatError(
      fmt::format("'{}' holds a run with other settings than its name stands for; remove it", folder.path().string()));
}

// False: stopped.
bool train_run(Board& board, size_t index, Backend& backend) {
  const PlannedRun& run = board.run(index);
  const RunFolder folder(board.folder().run(run));
  if (folder.exists()) require_own_config(folder, run);
  const double part = board.work(index).training / board.work(index).all();
  const TrainingCallbacks callbacks{
      .update =
          [&](const Progress& p) {
            board.update(index, "training", part * static_cast<double>(p.step) / static_cast<double>(p.steps));
          },
      .stop = [&] { return board.stopping(); }};
  return train_in_folder(backend, run.config, folder, callbacks).end == TrainingEnd::finished;
}

bool measure(Board& board, size_t index, Backend& backend) {
  const PlannedRun& run = board.run(index);
  const double part = board.work(index).training / board.work(index).all();
  const FolderClaim claim(board.folder().run(run));
  return measure_run(backend, run, board.folder().run(run), [&](std::string_view what, double share) {
    board.update(index, what, part + (1.0 - part) * share);
    return !board.stopping();
  });
}

// Beside the run; where even that fails, the failure is told all the same.
void note_failure(const StudyFolder& folder, const PlannedRun& run, const std::string& what) {
  try {
    folder.save_failure(run, what);
  } catch (const Error& error) {
    if (is_full_disk(error.what())) throw;
  }
}

void carry_out_one(Board& board, size_t index, Backend& backend) {
  const PlannedRun& run = board.run(index);
  bool done = false;
  std::optional<RunFailure> failure;
  bool is_ours = true;  // the folder
  try {
    board.folder().clear_failure(run);
    done = train_run(board, index, backend) && measure(board, index, backend);
    if (done) read_record(run, board.folder().run(run));  // what cannot be read is not done
  } catch (const Cancelled&) {
    board.stopping();
  } catch (const FolderBusy& error) {
    failure = {run.id, run.cell, run.config.seed, error.what()};
    is_ours = false;
  } catch (const std::bad_alloc&) {
    failure = {run.id, run.cell, run.config.seed, "out of memory; fewer jobs or a smaller train.batch need less"};
  } catch (const std::exception& error) {
    if (is_full_disk(error.what())) throw;
    failure = {run.id, run.cell, run.config.seed, error.what()};
  }
  if (failure && is_ours) note_failure(board.folder(), run, failure->what);
  if (done || failure) {
    board.finish(index, failure ? &*failure : nullptr);
  } else {
    board.put_back(index);
  }
}

void work(Board& board, const RunnerOptions& options) {
  try {
    set_thread_count(static_cast<int>(options.threads));
    const std::unique_ptr<Backend> backend = make_backend(options.device);
    while (const std::optional<size_t> index = board.take()) carry_out_one(board, *index, *backend);
  } catch (...) {
    board.give_up(std::current_exception());
  }
}

}  // namespace

bool is_complete(const StudyFolder& folder, const PlannedRun& run) {
  try {
    if (!RunFolder(folder.run(run)).complete() || !is_measured(run, folder.run(run))) return false;
    read_record(run, folder.run(run));
    return true;
  } catch (const std::exception&) {  // the file system's too: one run's trouble is not the study's
    return false;
  }
}

StudyEnd carry_out(const std::vector<PlannedRun>& runs, const StudyFolder& folder, const RunnerOptions& options,
                   const RunnerCallbacks& callbacks) {
  Board board(runs, folder, callbacks);
  std::vector<std::jthread> workers;
  for (int64_t job = 0; job < std::max<int64_t>(1, options.jobs); ++job) {
    workers.emplace_back([&] { work(board, options); });
  }
  workers.clear();  // waits for them
  board.rethrow();
  return board.was_stopped() ? StudyEnd::stopped : StudyEnd::finished;
}

RunnerOptions fastest_split(const StudyPlan& plan, int64_t cores) {
  // Small models do not keep several threads busy; large ones need their memory for themselves.
  constexpr int64_t kSmallWidth = 128;
  const bool small = std::all_of(plan.cells.begin(), plan.cells.end(),
                                 [](const PlannedCell& cell) { return cell.config.model.width <= kSmallWidth; });
  const int64_t jobs = small ? std::max<int64_t>(1, cores) : 1;
  return {.jobs = jobs, .threads = std::max<int64_t>(1, cores / jobs)};
}

}  // namespace phasor
