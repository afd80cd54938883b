#include "phasor/figure/svg.h"

#include <fmt/format.h>

#include "phasor/figure/coordinate.h"
#include "phasor/figure/font.h"

namespace phasor::figure {
namespace {

// The first that a machine has; all are as wide as Helvetica.
constexpr const char* kFonts = "Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', FreeSans, sans-serif";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : utf8(characters(text))) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string svg_colour(Colour colour) { return fmt::format("#{:06x}", colour.rgb); }

std::string paint(const std::optional<Stroke>& stroke, const std::optional<Fill>& fill) {
  std::string text = fill ? fmt::format(" fill=\"{}\"", svg_colour(fill->colour)) : " fill=\"none\"";
  if (fill && fill->opacity < 1.0) text += fmt::format(" fill-opacity=\"{}\"", coordinate(fill->opacity));
  if (!stroke) return text;
  text += fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", svg_colour(stroke->colour), coordinate(stroke->width));
  if (stroke->opacity < 1.0) text += fmt::format(" stroke-opacity=\"{}\"", coordinate(stroke->opacity));
  if (!stroke->dash.empty()) {
    text += " stroke-dasharray=\"";
    for (size_t i = 0; i < stroke->dash.size(); ++i) text += (i > 0 ? " " : "") + coordinate(stroke->dash[i]);
    text += "\"";
  }
  return text;
}

class SvgWriter {
 public:
  explicit SvgWriter(const Drawing& drawing) : drawing_(drawing) {}

  std::string text() {
    const std::string width = coordinate(drawing_.width);
    const std::string height = coordinate(drawing_.height);
    text_ = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{}pt\" height=\"{}pt\" viewBox=\"0 0 {} "
        "{}\" "
        "font-family=\"{}\" stroke-linecap=\"butt\" stroke-linejoin=\"round\">\n",
        width, height, width, height, kFonts);
    text_ += fmt::format("<title>{}</title>\n", escaped(drawing_.title));
    if (!drawing_.caption.empty()) text_ += fmt::format("<desc>{}</desc>\n", escaped(drawing_.caption));
    text_ += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", width, height);
    for (const Shape& shape : drawing_.shapes) {
      std::visit([this](const auto& it) { write(it); }, shape);
    }
    write(Clip{});
    return text_ + "</svg>\n";
  }

 private:
  void write(const Path& path) {
    if (path.places.empty()) return;
    text_ += "<path d=\"";
    char step = 'M';
    for (const Place& place : path.places) {
      text_ += fmt::format("{}{} {}", step, coordinate(place.x), coordinate(place.y));
      step = 'L';
    }
    text_ += (path.closed ? "Z\"" : "\"") + paint(path.stroke, path.fill) + "/>\n";
  }

  void write(const Circle& circle) {
    text_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", coordinate(circle.centre.x),
                         coordinate(circle.centre.y), coordinate(circle.radius), paint(circle.stroke, circle.fill));
  }

  void write(const Text& text) {
    if (text.text.empty()) return;
    text_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"", coordinate(text.at.x),
                         coordinate(text.at.y), coordinate(text.size), svg_colour(text.colour));
    if (text.bold) text_ += " font-weight=\"bold\"";
    if (text.anchor != Anchor::start) {
      text_ += text.anchor == Anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
    }
    if (text.upwards) {
      text_ += fmt::format(" transform=\"rotate(-90 {} {})\"", coordinate(text.at.x), coordinate(text.at.y));
    }
    // A machine without any of the fonts takes a wider one: nothing may run into its neighbour there.
    if (is_settable(text.text) && text.text.size() > 2) {
      text_ += fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"",
                           coordinate(text_width(text.text, text.size, text.bold)));
    }
    text_ += fmt::format(">{}</text>\n", escaped(text.text));
  }

  void write(const Clip& clip) {
    if (clipped_) text_ += "</g>\n";
    clipped_ = clip.box.has_value();
    if (!clipped_) return;
    ++clips_;
    text_ += fmt::format(
        "<clipPath id=\"clip{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/></clipPath>\n"
        "<g clip-path=\"url(#clip{0})\">\n",
        clips_, coordinate(clip.box->left), coordinate(clip.box->top), coordinate(clip.box->width),
        coordinate(clip.box->height));
  }

  const Drawing& drawing_;
  std::string text_;
  bool clipped_ = false;
  int clips_ = 0;
};

}  // namespace

std::string svg(const Drawing& drawing) { return SvgWriter(drawing).text(); }

Path rectangle(const Box& box) {
  return {
      .places = {{box.left, box.top}, {box.right(), box.top}, {box.right(), box.bottom()}, {box.left, box.bottom()}},
      .closed = true};
}

}  // namespace phasor::figure
