// The calibration of "none of these" for a trained model (opencd/calibration.hpp says what it is), and
// its files: eval/calibration.json and eval/reference.npy.
#pragma once

#include "cli/scoring.hpp"
#include "opencd/calibration.hpp"
#include "opencd/trained_model.hpp"

namespace opencd::cli {

/// Curves of held-out rows where classes of some are known, else of training rows that are then not
/// among the reference rows: of known classes those whose label says so, of discovered groups those
/// that the model puts there. Nothing if there are no such rows.
std::optional<Calibration> calibrate(TrainedModel& model,
                                     const data::ImageSet& set,
                                     const ScoredRows& rows);

void write_calibration(const std::filesystem::path& folder, const Calibration& calibration);
/// What `write_calibration` left for this checkpoint; nothing if there is none.
std::optional<Calibration> read_calibration(const std::filesystem::path& folder,
                                            const std::string& checkpoint);

}  // namespace opencd::cli
