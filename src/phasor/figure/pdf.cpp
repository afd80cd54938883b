#include "phasor/figure/pdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "phasor/figure/coordinate.h"
#include "phasor/figure/deflate.h"
#include "phasor/figure/font.h"

namespace phasor::figure {
namespace {

constexpr std::array<const char*, 3> kFontNames = {"Helvetica", "Helvetica-Bold", "Symbol"};

// Where it must stand between parentheses.
std::string string_of_codes(const std::string& codes) {
  std::string text = "(";
  for (const char c : codes) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '(' || c == ')' || c == '\\') {
      text += fmt::format("\\{}", c);
    } else if (byte < 0x20 || byte >= 0x7f) {
      text += fmt::format("\\{:03o}", byte);
    } else {
      text += c;
    }
  }
  return text + ")";
}

// Of the document's properties: UTF-16 with its mark.
std::string property(std::string_view text) {
  std::string result = "<FEFF";
  for (const char32_t character : characters(text)) {
    if (character < 0x10000) {
      result += fmt::format("{:04X}", static_cast<uint32_t>(character));
    } else {
      const uint32_t rest = character - 0x10000;
      result += fmt::format("{:04X}{:04X}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
    }
  }
  return result + ">";
}

// The operators of the page. PDF counts from below.
class PageContent {
 public:
  explicit PageContent(const Drawing& drawing) : height_(drawing.height) {
    text_ = "1 j\n";  // round joins
    for (const Shape& shape : drawing.shapes) {
      std::visit([this](const auto& it) { write(it); }, shape);
    }
    write(Clip{});
  }

  const std::string& text() const { return text_; }
  const std::vector<std::string>& opacities() const { return opacities_; }
  const std::vector<std::string>& unset() const { return unset_; }

 private:
  std::string place(Place at) const { return coordinate(at.x) + " " + coordinate(height_ - at.y); }

  static std::string colour(Colour colour) {
    return fmt::format("{:.3f} {:.3f} {:.3f}", colour.red(), colour.green(), colour.blue());
  }

  // Returns whether everything must be put back as it was.
  bool start(const std::optional<Stroke>& stroke, const std::optional<Fill>& fill) {
    const bool transparent = (stroke && stroke->opacity < 1.0) || (fill && fill->opacity < 1.0);
    const bool dashed = stroke && !stroke->dash.empty();
    if (transparent || dashed) text_ += "q\n";
    if (transparent) {
      const std::string names = fmt::format("/CA {} /ca {}", coordinate(stroke ? stroke->opacity : 1.0),
                                            coordinate(fill ? fill->opacity : 1.0));
      auto found = std::find(opacities_.begin(), opacities_.end(), names);
      if (found == opacities_.end()) found = opacities_.insert(opacities_.end(), names);
      text_ += fmt::format("/G{} gs\n", found - opacities_.begin());
    }
    if (stroke) text_ += fmt::format("{} RG {} w\n", colour(stroke->colour), coordinate(stroke->width));
    if (dashed) {
      text_ += "[";
      for (const double length : stroke->dash) text_ += coordinate(length) + " ";
      text_ += "] 0 d\n";
    }
    if (fill) text_ += colour(fill->colour) + " rg\n";
    return transparent || dashed;
  }

  void finish(const std::optional<Stroke>& stroke, const std::optional<Fill>& fill, bool restore) {
    text_ += stroke && fill ? "B\n" : stroke ? "S\n" : fill ? "f\n" : "n\n";
    if (restore) text_ += "Q\n";
  }

  void write(const Path& path) {
    if (path.places.empty()) return;
    const bool restore = start(path.stroke, path.fill);
    for (size_t i = 0; i < path.places.size(); ++i) text_ += place(path.places[i]) + (i == 0 ? " m\n" : " l\n");
    if (path.closed) text_ += "h\n";
    finish(path.stroke, path.fill, restore);
  }

  void write(const Circle& circle) {
    constexpr double kBow = 0.5523;  // of a quarter as a Bezier curve
    const bool restore = start(circle.stroke, circle.fill);
    const auto at = [&](double x, double y) {
      return place({circle.centre.x + x * circle.radius, circle.centre.y + y * circle.radius});
    };
    text_ += at(1, 0) + " m\n";
    constexpr std::array<Place, 5> kTurn = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}}};
    for (size_t i = 0; i < 4; ++i) {
      const Place from = kTurn[i];
      const Place to = kTurn[i + 1];
      text_ += fmt::format("{} {} {} c\n", at(from.x + kBow * to.x, from.y + kBow * to.y),
                           at(to.x + kBow * from.x, to.y + kBow * from.y), at(to.x, to.y));
    }
    text_ += "h\n";
    finish(circle.stroke, circle.fill, restore);
  }

  void write(const Text& text) {
    if (text.text.empty()) return;
    const double width = text_width(text.text, text.size, text.bold);
    const double back = text.anchor == Anchor::middle ? 0.5 * width : text.anchor == Anchor::end ? width : 0.0;
    const Place from = text.upwards ? Place{text.at.x, text.at.y + back} : Place{text.at.x - back, text.at.y};
    text_ +=
        fmt::format("BT\n{} rg\n{} {} Tm\n", colour(text.colour), text.upwards ? "0 1 -1 0" : "1 0 0 1", place(from));
    std::string codes;
    std::optional<Font> font;
    bool lacks = false;
    const auto show = [&] {
      if (!codes.empty()) text_ += string_of_codes(codes) + " Tj\n";
      codes.clear();
    };
    for (const char32_t character : characters(text.text)) {
      const Glyph found = glyph(character, text.bold);
      if (found.font != font) {
        show();
        font = found.font;
        text_ += fmt::format("/F{} {} Tf\n", static_cast<int>(found.font), coordinate(text.size));
      }
      lacks = lacks || found.code == 0;
      codes += static_cast<char>(found.code == 0 ? '?' : found.code);
    }
    show();
    text_ += "ET\n";
    if (lacks && std::find(unset_.begin(), unset_.end(), text.text) == unset_.end()) unset_.push_back(text.text);
  }

  void write(const Clip& clip) {
    if (clipped_) text_ += "Q\n";
    clipped_ = clip.box.has_value();
    if (!clipped_) return;
    const Box& box = *clip.box;
    text_ += fmt::format("q\n{} {} {} re W n\n", place({box.left, box.bottom()}), coordinate(box.width),
                         coordinate(box.height));
  }

  double height_;
  std::string text_;
  std::vector<std::string> opacities_, unset_;
  bool clipped_ = false;
};

std::string stream(const std::string& content) {
  const bool packed = has_deflate();
  const std::string bytes = packed ? deflated(content) : content;
  return fmt::format("<< /Length {}{} >>\nstream\n", bytes.size(), packed ? " /Filter /FlateDecode" : "") + bytes +
         "\nendstream";
}

std::string resources(const std::vector<std::string>& opacities) {
  std::string text = "<< /Font << ";
  for (size_t i = 0; i < kFontNames.size(); ++i) {
    const bool symbol = i == static_cast<size_t>(Font::symbol);
    text += fmt::format("/F{} << /Type /Font /Subtype /Type1 /BaseFont /{}{} >> ", i, kFontNames[i],
                        symbol ? "" : " /Encoding /WinAnsiEncoding");
  }
  text += ">> /ExtGState << ";
  for (size_t i = 0; i < opacities.size(); ++i) text += fmt::format("/G{} << {} >> ", i, opacities[i]);
  return text + ">> >>";
}

}  // namespace

Pdf pdf(const Drawing& drawing) {
  const PageContent page(drawing);
  const std::vector<std::string> objects = {
      "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents 4 0 R /Resources {} >>",
                  coordinate(drawing.width), coordinate(drawing.height), resources(page.opacities())),
      stream(page.text()),
      fmt::format("<< /Title {} /Subject {} /Producer (Phasor) >>", property(drawing.title),
                  property(drawing.caption))};
  std::string bytes = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
  std::string places = "0000000000 65535 f \n";
  for (size_t i = 0; i < objects.size(); ++i) {
    places += fmt::format("{:010} 00000 n \n", bytes.size());
    bytes += fmt::format("{} 0 obj\n", i + 1) + objects[i] + "\nendobj\n";
  }
  const size_t start = bytes.size();
  bytes += fmt::format("xref\n0 {0}\n{1}trailer\n<< /Size {0} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{2}\n%%EOF\n",
                       objects.size() + 1, places, start);
  return {.bytes = std::move(bytes), .unset = page.unset()};
}

}  // namespace phasor::figure
