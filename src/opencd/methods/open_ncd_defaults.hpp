// What OpenNCD and `opencd+` take for the options that nobody has given. The authors set some of them
// for each data set; here they follow from the number of known classes, so that any data set has them:
//
//                                        up to 10 known classes     more
//                                        (as CIFAR-10's)            (as CIFAR-100's)
//   prototypes     K                     50                         10 for every known class
//   kappa                                3                          10
//   affinity-share                       1                          0.9
//   search-first, search-last, Louvain   12, 2                      12, 6
//
// K is at least 5 for every class where their number is given, and at most 1000. The stages keep their
// share of the epochs: of 150 the first 5 are warm and the groups stay from epoch 70 on; of a few epochs one
// is warm and two begin with a grouping.
//
// The ranges of the other searches: thresholds 0.99 to 0.5 (overlap) or 0.05 (Jaccard, which is smaller; the
// paper gives no range), dampings 0.99 to 0.5. The steps are as many as groupings, less one.
#pragma once

#include "opencd/methods/method_task.hpp"

#include <nlohmann/json.hpp>

namespace opencd {

using Json = nlohmann::ordered_json;

/// Options by their names and what they are unless somebody says otherwise. `given` holds what was said:
/// the range of a search depends on what is searched.
Json open_ncd_defaults(const MethodTask& task, const Json& given);

/// The same for `opencd+`. What is ours, and neither the paper's nor the authors': the number of classes
/// is counted by hiding known ones; groups hear labels and nine sets of prototypes, those without rows
/// make none; labels are used from the first grouping on; the warm stage leaves a pretrained encoder as it
/// is. (More labelled rows and balanced predictions are options that only opencd+ has.)
Json open_ncd_plus_defaults(const MethodTask& task, const Json& given);

}  // namespace opencd
