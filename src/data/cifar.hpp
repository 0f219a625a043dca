// CIFAR-10 and CIFAR-100 in their binary form: records of one label byte (CIFAR-100: coarse, then
// fine) and 3 x 32 x 32 bytes of pixels, channel by channel. Labels are the fine ones.
#pragma once

#include "data/image_set.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace opencd::data {

enum class CifarKind { cifar10, cifar100 };

constexpr ImageShape kCifarShape{32, 32, 3};

/// The pictures of one file. FormatError unless it is a whole number of records, at least one, with
/// labels in range; `name` is the file's name for messages.
ImageRows parse_cifar(std::span<const std::uint8_t> file, CifarKind kind, const std::string& name);

/// Whether `folder` holds the first file of either set.
bool is_cifar_folder(const std::filesystem::path& folder);

/// All official files of the folder: training batches in order, then the test batch. As in the
/// official sets the training rows are five times the test rows, which shows a file that was cut
/// at the end of a record.
ImageSet read_cifar(const std::filesystem::path& folder);

}  // namespace opencd::data
