// style.css and script.js, embedded when the program is built.
#pragma once

#include <string_view>

namespace opencd::cli::report {

std::string_view style_sheet();
std::string_view script();

}  // namespace opencd::cli::report
