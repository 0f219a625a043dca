#include "cli/report/assets.hpp"

// What embedded_assets.S defines.
extern "C" {
extern const char opencd_report_style_begin[];
extern const char opencd_report_style_end[];
extern const char opencd_report_script_begin[];
extern const char opencd_report_script_end[];
}

namespace opencd::cli::report {

std::string_view style_sheet() { return {opencd_report_style_begin, opencd_report_style_end}; }
std::string_view script() { return {opencd_report_script_begin, opencd_report_script_end}; }

}  // namespace opencd::cli::report
