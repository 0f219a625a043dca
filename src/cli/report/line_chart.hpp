// Lines over a common axis as inline SVG: readable without scripts, in light and dark, on paper and on a
// phone. Points tell their values in tooltips.
#pragma once

#include "cli/report/markup.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace opencd::cli::report {

/// Colours are classes of the style sheet, `s0` to `s11`, and begin again after the last.
constexpr std::size_t kColours = 12;
std::string colour_class(std::size_t number);

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
  std::size_t colour = 0;
};

struct ChartOptions {
  std::string title;
  std::string x_label = "epoch";
  std::string y_label;
  std::optional<double> low;  // of the y axis, where the data should not decide
  std::optional<double> high;
  double scale = 1.0;  // 100 shows fractions as percent
  bool steps = false;  // values hold until the next one
  bool apart = false;  // draw lines a little beside each other, so that equal ones are all seen
  std::vector<std::string>
      x_names;  // of the places 0, 1, ... on the x axis; empty: they are numbers
};

/// A figure with its title and legend; a sentence instead where there is no point at all.
Markup line_chart(const std::vector<Series>& series, const ChartOptions& options);

/// Round numbers that span low to high, about `count` of them.
std::vector<double> axis_ticks(double low, double high, std::size_t count);

/// At most `most` points, each the mean of as many neighbours.
std::vector<std::pair<double, double>> thinned(const std::vector<std::pair<double, double>>& points,
                                               std::size_t most);

}  // namespace opencd::cli::report
