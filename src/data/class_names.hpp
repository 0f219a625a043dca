// Names of classes that come beside a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace opencd::data {

/// "0", "1", ...: names of classes that have none.
std::vector<std::string> numbered_classes(std::size_t count);

/// Numbers for all classes up to the largest label of both parts. FormatError above kMaxClasses: a
/// wild label must not ask for memory.
constexpr std::int32_t kMaxClasses = 100'000;
std::vector<std::string> classes_of(std::span<const std::int32_t> train_labels,
                                    std::span<const std::int32_t> test_labels);

/// One name a line; empty lines are skipped. Numbers if the file is not there, FormatError if it
/// does not hold exactly `count` different, clean names.
std::vector<std::string> read_class_names(const std::filesystem::path& path, std::size_t count);

}  // namespace opencd::data
