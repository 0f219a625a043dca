// A file that names the classes to take of a folder of pictures, one a line and in the order that they
// shall have: the first ones are the known classes. ImageNet-100 is such a list.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opencd::data {

/// The names in their order; empty lines and those that begin with # are passed over. FormatError for a
/// name that is no name of a folder or stands there twice, and for a file without any.
std::vector<std::string> read_class_list(const std::filesystem::path& file);

}  // namespace opencd::data
