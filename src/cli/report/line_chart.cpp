#include "cli/report/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opencd::cli::report {

namespace {

using Points = std::vector<std::pair<double, double>>;

// In units of the view box, which the page scales.
constexpr double kWidth = 520, kHeight = 290;
constexpr double kLeft = 50, kRight = 14, kTop = 12, kBottom = 44;
constexpr std::size_t kMostPoints = 240;
constexpr std::size_t kMostTooltips = 160;
constexpr double kApart = 2.5;  // a line's width and a gap

/// From values to places.
struct Frame {
  double x_low, x_high, y_low, y_high;
  double lift = 0.0;  // of the line that is drawn

  double x(double value) const {
    return kLeft + (value - x_low) / (x_high - x_low) * (kWidth - kLeft - kRight);
  }
  double y(double value) const {
    return kHeight - kBottom - lift -
           (value - y_low) / (y_high - y_low) * (kHeight - kTop - kBottom);
  }
};

Frame fit(const std::vector<Series>& series, const ChartOptions& options) {
  Frame frame{INFINITY, -INFINITY, INFINITY, -INFINITY};
  for (const Series& line : series)
    for (const auto& [x, y] : line.points) {
      frame.x_low = std::min(frame.x_low, x);
      frame.x_high = std::max(frame.x_high, x);
      frame.y_low = std::min(frame.y_low, y);
      frame.y_high = std::max(frame.y_high, y);
    }
  if (options.low) frame.y_low = std::min(frame.y_low, *options.low);
  if (options.high) frame.y_high = std::max(frame.y_high, *options.high);
  if (frame.x_low == frame.x_high) {
    frame.x_low -= 1;
    frame.x_high += 1;
  }
  if (frame.y_low == frame.y_high) {
    frame.y_low -= 1;
    frame.y_high += 1;
  }
  const std::vector<double> ticks = axis_ticks(frame.y_low, frame.y_high, 5);
  frame.y_low = std::min(frame.y_low, ticks.front());
  frame.y_high = std::max(frame.y_high, ticks.back());
  return frame;
}

Markup text_at(double x, double y, const char* kind, const std::string& text) {
  return tag("text", {{"x", decimal(x)}, {"y", decimal(y)}, {"class", kind}}, text);
}

Markup segment(double x1, double y1, double x2, double y2, const char* kind) {
  return tag(
      "path",
      {{"class", kind},
       {"d", fmt::format("M{} {}L{} {}", decimal(x1), decimal(y1), decimal(x2), decimal(y2))}});
}

std::string x_name(double value, const ChartOptions& options) {
  const auto place = static_cast<std::size_t>(value);
  return place < options.x_names.size() ? options.x_names[place] : fmt::format("{:.6g}", value);
}

/// Every place that has a name, or round whole numbers.
std::vector<double> x_ticks(const Frame& frame, const ChartOptions& options) {
  std::vector<double> ticks;
  ticks.reserve(options.x_names.size());
  for (std::size_t place = 0; place < options.x_names.size(); ++place)
    ticks.push_back(static_cast<double>(place));
  if (ticks.empty()) ticks = axis_ticks(frame.x_low, frame.x_high, 6);
  std::erase_if(ticks, [&](double value) {
    return value < frame.x_low || value > frame.x_high || value != std::floor(value);
  });
  return ticks;
}

Markup axes(const Frame& frame, const ChartOptions& options) {
  Markup marks;
  const double bottom = kHeight - kBottom;
  for (const double value : axis_ticks(frame.y_low, frame.y_high, 5)) {
    marks += segment(kLeft, frame.y(value), kWidth - kRight, frame.y(value), "grid");
    marks += text_at(kLeft - 7, frame.y(value) + 4, "tick y",
                     fmt::format("{:.6g}", value * options.scale));
  }
  for (const double value : x_ticks(frame, options)) {
    marks += segment(frame.x(value), bottom, frame.x(value), bottom + 4, "axis");
    marks += text_at(frame.x(value), bottom + 19, "tick x", x_name(value, options));
  }
  marks += segment(kLeft, bottom, kWidth - kRight, bottom, "axis");
  marks += text_at((kLeft + kWidth - kRight) / 2, kHeight - 6, "tick x", options.x_label);
  return marks;
}

std::string path_of(const Points& points, const Frame& frame, bool steps) {
  std::string path;
  double last = 0.0;
  for (const auto& [x, y] : points) {
    if (steps && !path.empty()) path += fmt::format("L{} {}", decimal(frame.x(x)), decimal(last));
    last = frame.y(y);
    path += fmt::format("{}{} {}", path.empty() ? 'M' : 'L', decimal(frame.x(x)), decimal(last));
  }
  return path;
}

Markup line_of(const Series& series, const Frame& frame, const ChartOptions& options) {
  const Points points = thinned(series.points, kMostPoints);
  Markup marks = tag("path", {{"class", "line"}, {"d", path_of(points, frame, options.steps)}});
  // A line of one point would not be seen.
  const bool dots = points.size() <= 30;
  if (points.size() <= kMostTooltips)
    for (const auto& [x, y] : points) {
      const std::string said = fmt::format("{}: {:.4g} at {} {}", series.name, y * options.scale,
                                           options.x_label, x_name(x, options));
      marks += tag("circle",
                   {{"class", dots ? "dot" : "spot"},
                    {"cx", decimal(frame.x(x))},
                    {"cy", decimal(frame.y(y))},
                    {"r", dots ? "3" : "6"}},
                   tag("title", {}, said));
    }
  return tag("g", {{"class", colour_class(series.colour)}}, marks);
}

Markup legend(const std::vector<Series>& series, const ChartOptions& options) {
  Markup items;
  for (const Series& line : series) {
    Markup item = tag("i", {{"class", "swatch " + colour_class(line.colour)}});
    item += line.name;
    if (!line.points.empty())
      item += tag("b", {}, fmt::format(" {:.4g}", line.points.back().second * options.scale));
    items += tag("li", {}, item);
  }
  return tag("ul", {{"class", "legend"}}, items);
}

}  // namespace

std::string colour_class(std::size_t number) { return fmt::format("s{}", number % kColours); }

std::vector<double> axis_ticks(double low, double high, std::size_t count) {
  const double rough = (high - low) / static_cast<double>(std::max<std::size_t>(count, 1));
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough * 0.999) step = factor * power;
  std::vector<double> ticks;
  const auto first = static_cast<std::int64_t>(std::floor(low / step + 1e-9));
  const auto last = static_cast<std::int64_t>(std::ceil(high / step - 1e-9));
  for (std::int64_t i = first; i <= last; ++i) ticks.push_back(static_cast<double>(i) * step);
  return ticks;
}

Points thinned(const Points& points, std::size_t most) {
  if (points.size() <= most) return points;
  Points result;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t begin = i * points.size() / most, end = (i + 1) * points.size() / most;
    double x = 0.0, y = 0.0;
    for (std::size_t k = begin; k < end; ++k) {
      x += points[k].first;
      y += points[k].second;
    }
    const auto count = static_cast<double>(end - begin);
    result.emplace_back(x / count, y / count);
  }
  return result;
}

Markup line_chart(const std::vector<Series>& series, const ChartOptions& options) {
  Markup title = options.title;
  if (!options.y_label.empty()) title += tag("small", {}, options.y_label);
  Markup figure = tag("figcaption", {}, title);
  std::vector<Series> drawn;
  for (const Series& line : series)
    if (!line.points.empty()) drawn.push_back(line);
  if (drawn.empty()) {
    figure += tag("p", {{"class", "note"}}, "Nothing was recorded.");
    return tag("figure", {{"class", "chart"}}, figure);
  }
  const Frame frame = fit(drawn, options);
  Markup marks = axes(frame, options);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    Frame place = frame;
    if (options.apart)
      place.lift = kApart * (static_cast<double>(i) - static_cast<double>(drawn.size() - 1) / 2.0);
    marks += line_of(drawn[i], place, options);
  }
  figure += tag("svg",
                {{"viewBox", fmt::format("0 0 {} {}", kWidth, kHeight)},
                 {"role", "img"},
                 {"aria-label", options.title}},
                marks);
  figure += legend(drawn, options);
  return tag("figure", {{"class", "chart"}}, figure);
}

}  // namespace opencd::cli::report
