#include "opencd/bounded_minimum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opencd {

namespace {

const double kGolden = 0.5 * (3.0 - std::sqrt(5.0));
const double kRelative = std::sqrt(std::numeric_limits<double>::epsilon());

struct Point {
  double place = 0.0;
  double value = 0.0;
};

/// The search at work: an interval that holds a minimum, and the three best points in it.
class Brent {
 public:
  Brent(const std::function<double(double)>& function, const BoundedMinimumOptions& options)
      : function_(function), options_(options), low_(options.low), high_(options.high) {
    best_ = at(low_ + kGolden * (high_ - low_));
    second_ = third_ = best_;
  }

  BoundedMinimum run() {
    while (!narrow() && calls_ < options_.most_calls) {
      if (!parabola()) {
        previous_step_ = best_.place >= middle() ? low_ - best_.place : high_ - best_.place;
        step_ = kGolden * previous_step_;
      }
      const double least = tolerance();
      const double move = std::max(std::abs(step_), least);
      take(at(best_.place + (step_ >= 0.0 ? move : -move)));
    }
    return {best_.place, best_.value, calls_};
  }

 private:
  double middle() const { return 0.5 * (low_ + high_); }
  double tolerance() const { return kRelative * std::abs(best_.place) + options_.tolerance / 3.0; }
  bool narrow() const {
    return std::abs(best_.place - middle()) <= 2.0 * tolerance() - 0.5 * (high_ - low_);
  }
  Point at(double place) {
    ++calls_;
    return {place, function_(place)};
  }

  /// A step to the vertex of the parabola through the three points; false if that leads out of the
  /// interval or moves more than half the step before the last.
  bool parabola() {
    if (std::abs(previous_step_) <= tolerance()) return false;
    const double r = (best_.place - second_.place) * (best_.value - third_.value);
    const double q = (best_.place - third_.place) * (best_.value - second_.value);
    double numerator = (best_.place - third_.place) * q - (best_.place - second_.place) * r;
    double denominator = 2.0 * (q - r);
    if (denominator > 0.0) numerator = -numerator;
    denominator = std::abs(denominator);
    const double before = previous_step_;
    previous_step_ = step_;
    if (std::abs(numerator) >= std::abs(0.5 * denominator * before) ||
        numerator <= denominator * (low_ - best_.place) ||
        numerator >= denominator * (high_ - best_.place))
      return false;
    step_ = numerator / denominator;
    const double place = best_.place + step_;
    if (place - low_ < 2.0 * tolerance() || high_ - place < 2.0 * tolerance())
      step_ = middle() >= best_.place ? tolerance() : -tolerance();
    return true;
  }

  void take(const Point& point) {
    if (point.value <= best_.value) {
      (point.place >= best_.place ? low_ : high_) = best_.place;
      third_ = second_;
      second_ = best_;
      best_ = point;
      return;
    }
    (point.place < best_.place ? low_ : high_) = point.place;
    if (point.value <= second_.value || second_.place == best_.place) {
      third_ = second_;
      second_ = point;
    } else if (point.value <= third_.value || third_.place == best_.place ||
               third_.place == second_.place) {
      third_ = point;
    }
  }

  const std::function<double(double)>& function_;
  BoundedMinimumOptions options_;
  double low_, high_;
  Point best_, second_, third_;
  double step_ = 0.0;
  double previous_step_ = 0.0;
  int calls_ = 0;
};

}  // namespace

BoundedMinimum bounded_minimum(const std::function<double(double)>& function,
                               const BoundedMinimumOptions& options) {
  return Brent(function, options).run();
}

}  // namespace opencd
