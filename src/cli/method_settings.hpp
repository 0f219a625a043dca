// The options of a method: what somebody said, and for the rest what the method has for the task.
#pragma once

#include "cli/settings.hpp"
#include "cli/train_options.hpp"
#include "opencd/methods/method_task.hpp"

namespace opencd::cli {

/// As make_method takes them. What the method chose is recorded in `settings` with the source "method".
Json settle_method(const MethodArguments& arguments,
                   const MethodTask& task,
                   std::vector<Setting>& settings);

/// UsageError for a flag that only the method's extension has: `opencd` with a part of `opencd+` would no
/// longer be OpenNCD.
void check_method_flags(const std::string& method, const std::vector<Setting>& settings);

}  // namespace opencd::cli
