// How somebody outside follows long counting: who counts calls this now and then.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace opencd {

/// `stage` tells what is done, `done` of `total` parts of it. What it throws ends the counting.
using CountingWatch =
    std::function<void(const std::string& stage, std::size_t done, std::size_t total)>;

}  // namespace opencd
