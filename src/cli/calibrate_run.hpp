// The calibration of "none of these" for a trained model (opencd/calibration.hpp says what it is), and
// its files: eval/calibration.json and eval/reference.npy.
#pragma once

#include "opencd/calibration.hpp"
#include "opencd/trained_model.hpp"

namespace opencd::cli {

/// Curves of held-out pictures by the groups that the model puts them in, whatever they are; where there are none, of
/// training rows that are then not among the reference rows: of known classes the labelled ones there, of
/// discovered groups all that the model puts there. So a curve holds no more truth than every user has. Nothing if there
/// are no such rows.
std::optional<Calibration> calibrate(TrainedModel& model,
                                     const data::ImageSet& set,
                                     const std::vector<std::uint32_t>& labelled);

void write_calibration(const std::filesystem::path& folder, const Calibration& calibration);
/// What `write_calibration` left for this checkpoint; nothing if there is none.
std::optional<Calibration> read_calibration(const std::filesystem::path& folder,
                                            const std::string& checkpoint);

}  // namespace opencd::cli
