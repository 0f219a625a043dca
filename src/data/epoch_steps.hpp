// How many steps epochs have, and so which step of a run belongs to which epoch.
#pragma once

#include <cstddef>

namespace opencd::data {

/// The first epochs may be of labelled rows alone, and then have a number of steps of their own.
struct EpochSteps {
  std::size_t usual = 1;
  std::size_t labeled = 1;
  std::size_t labeled_epochs = 0;

  std::size_t of(std::size_t epoch) const { return epoch < labeled_epochs ? labeled : usual; }
  /// Steps of all epochs before `epoch`.
  std::size_t before(std::size_t epoch) const {
    const std::size_t short_ones = epoch < labeled_epochs ? epoch : labeled_epochs;
    return short_ones * labeled + (epoch - short_ones) * usual;
  }
  /// The epoch of a step that is counted from the first of all.
  std::size_t epoch_of(std::size_t step) const {
    const std::size_t others = before(labeled_epochs);
    return step < others ? step / labeled : labeled_epochs + (step - others) / usual;
  }
  std::size_t most() const { return labeled_epochs > 0 && labeled > usual ? labeled : usual; }
};

}  // namespace opencd::data
