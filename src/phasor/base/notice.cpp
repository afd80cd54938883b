#include "phasor/base/notice.h"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <utility>

namespace phasor {
namespace {

struct NoticeWay {
  std::mutex mutex;
  std::function<void(std::string_view)> way;
};

NoticeWay& notice_way() {
  static NoticeWay way;
  return way;
}

}  // namespace

void notice(std::string_view line) {
  NoticeWay& way = notice_way();
  const std::lock_guard guard(way.mutex);
  if (way.way) return way.way(line);
  const std::string text = fmt::format("{}\n", line);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void set_notice(std::function<void(std::string_view)> way) {
  NoticeWay& shared = notice_way();
  const std::lock_guard guard(shared.mutex);
  shared.way = std::move(way);
}

}  // namespace phasor
