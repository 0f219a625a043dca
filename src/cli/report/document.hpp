// The frame of a page: one file that asks nobody for anything. Its content policy lets in the style
// sheet and the script of this program, by their hashes, and pictures inside the file; nothing else.
#pragma once

#include "cli/report/markup.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace opencd::cli::report {

struct Section {
  std::string id;
  std::string title;
  Markup content;
};

struct Document {
  std::string title;
  Markup header;  // below the title
  std::vector<Section> sections;
};

std::string to_html(const Document& document);

/// UsageError if `file` is there and is no page that `to_html` made: nothing else is overwritten.
void require_own_page(const std::filesystem::path& file);

}  // namespace opencd::cli::report
