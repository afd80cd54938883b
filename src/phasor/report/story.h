#pragma once
// A study of arXiv 2505.13027 on one screen, as three questions with their answers: which encodings can do the tasks,
// what their logits and heads are like, and what that says to the paper. Terminal, summary.md and page show these
// strings; none of them makes its own. What a study cannot answer is left out, or said in one sentence.
#include <string>
#include <vector>

#include "phasor/base/text_table.h"
#include "phasor/paper/claim.h"
#include "phasor/study/summary/study_summary.h"

namespace phasor {

struct StoryPart {
  std::string id;        // "accuracy", "inside", "claims"
  std::string question;  // "Which encodings can do it?"
  std::string key;       // how to read the table; empty without one
  TextTable table;       // may have no rows
  std::vector<std::string> sentences;
};

struct Story {
  std::string title;
  std::vector<StoryPart> parts;  // none where no run has finished
};

// Of the first protocol of the study, its first task, and the next one that was learned.
Story study_story(const StudySummary& summary, const std::vector<paper::JudgedClaim>& claims);

}  // namespace phasor
