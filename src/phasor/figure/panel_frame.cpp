#include "phasor/figure/panel_frame.h"

#include <algorithm>
#include <cmath>

#include "phasor/figure/font.h"

namespace phasor::figure {
namespace {

constexpr double kAcross = 16.0;  // points between ticks, about
constexpr double kUpwards = 14.0;
constexpr double kTickGap = 3.5;      // between the texts of two ticks
constexpr double kRaisedShare = 0.7;  // of the size of the text

bool collide(const std::vector<Tick>& ticks, const AxisScale& scale, double length) {
  double end = -kInfinity;
  for (const Tick& tick : ticks) {
    if (tick.text.empty()) continue;
    const double centre = scale.share(tick.at) * length;
    const double half = 0.5 * tick_width(tick);
    if (centre - half < end + kTickGap) return true;
    end = centre + half;
  }
  return false;
}

}  // namespace

PanelFrame::PanelFrame(const Panel& panel, const Box& plot)
    : panel_(&panel),
      plot_(plot),
      x_(panel.x, values_along_x(panel.marks)),
      y_(panel.y, values_along_y(panel.marks)),
      downwards_(panel.y.downwards || !panel.y.names.empty()) {}

double PanelFrame::place_y(double value) const {
  const double share = y_.share(value);
  return plot_.top + (downwards_ ? share : 1.0 - share) * plot_.height;
}

double PanelFrame::row_height() const { return plot_.height / (y_.high() - y_.low()); }

double tick_width(const Tick& tick) {
  return text_width(tick.text, kTextSize) + text_width(tick.raised, kRaisedShare * kTextSize);
}

std::vector<Tick> ticks_along_x(const AxisScale& scale, double length) {
  std::vector<Tick> ticks;
  for (int most = std::clamp(static_cast<int>(length / kAcross), 2, 7); most > 0; --most) {
    ticks = scale.ticks(most);
    if (!collide(ticks, scale, length)) return ticks;
  }
  // Given places may lie close together: those that would touch the one before are not written.
  double end = -kInfinity;
  for (Tick& tick : ticks) {
    const double centre = scale.share(tick.at) * length;
    const double half = 0.5 * tick_width(tick);
    if (centre - half < end + kTickGap) {
      tick.text.clear();
      tick.raised.clear();
    } else if (!tick.text.empty()) {
      end = centre + half;
    }
  }
  return ticks;
}

std::vector<Tick> ticks_along_y(const AxisScale& scale, double length) {
  return scale.ticks(std::clamp(static_cast<int>(length / kUpwards), 2, 6));
}

}  // namespace phasor::figure
