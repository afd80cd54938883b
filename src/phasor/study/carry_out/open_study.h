#pragma once
// A study's folder while somebody works in it, claimed before anything in it is touched. A study that cannot even write
// study.json leaves nothing behind.
#include <optional>

#include "phasor/base/folder_claim.h"
#include "phasor/study/records/study_folder.h"

namespace phasor {

class OpenStudy {
 public:
  // Throws UsageError where the folder holds something else, Error where another process works in it.
  OpenStudy(const StudyFolder& folder, const StudyPlan& plan,
            const std::optional<Registration>& registration = std::nullopt);

 private:
  std::optional<FolderClaim> claim_;
};

}  // namespace phasor
