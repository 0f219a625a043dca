// What every reader of pictures delivers: rows of bytes with a class each, training rows and
// held-out rows apart. A row is one picture of a fixed shape stored as height x width x channels
// (HWC): the channels of a pixel lie side by side, since decoders write them so and colour
// operations want them together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opencd::data {

/// The class of a row whose class nobody knows.
constexpr std::int32_t kNoLabel = -1;

struct ImageShape {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 3;

  std::size_t size() const { return height * width * channels; }
  bool operator==(const ImageShape&) const = default;
};

/// Immutable bytes and whatever keeps them alive (a vector or a mapped file); copying is cheap.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::vector<std::uint8_t> values);
  Bytes(std::shared_ptr<const void> owner, std::span<const std::uint8_t> view)
      : owner_(std::move(owner)), view_(view) {}

  std::span<const std::uint8_t> view() const { return view_; }
  std::size_t size() const { return view_.size(); }
  /// A part of the bytes, sharing their owner.
  Bytes first(std::size_t count) const { return {owner_, view_.first(count)}; }
  Bytes from(std::size_t offset) const { return {owner_, view_.subspan(offset)}; }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::uint8_t> view_;
};

/// Pictures in file order. `paths` is empty unless every row is a file of its own; it then holds
/// the path of each row relative to the root of the set.
struct ImageRows {
  Bytes pixels;
  std::vector<std::int32_t> labels;
  std::vector<std::string> paths;

  std::size_t size() const { return labels.size(); }
};

struct ImageSet {
  std::string name;  ///< "cifar-10", "synthetic", or the folder's name
  std::string kind;  ///< which reader it came from
  ImageShape shape;
  std::vector<std::string> class_names;  ///< a label is an index into it, or kNoLabel
  ImageRows train;
  ImageRows test;  ///< held out; may be empty
  /// Training rows whose class the user gave in a labels file, ascending; none if there is no file.
  std::optional<std::vector<std::uint32_t>> given_rows;
  std::vector<std::string> left_out;  ///< broken pictures: "path: reason"
  std::string hash;                   ///< of shape, class names, labels and pixels of both parts

  std::span<const std::uint8_t> train_row(std::size_t row) const {
    return train.pixels.view().subspan(row * shape.size(), shape.size());
  }
};

/// Checks what every set must hold (row sizes, label range, at least one training row) and fills
/// in the hash. Readers end with it.
ImageSet finish_image_set(ImageSet set);

/// Keeps the first `count` training rows, for quick runs.
ImageSet limit_train_rows(ImageSet set, std::size_t count);

/// Every grey byte three times: a grey picture as RGB.
std::vector<std::uint8_t> repeat_channel(std::span<const std::uint8_t> grey);

/// How many rows of each class; rows without a label are left out.
std::vector<std::size_t> rows_per_class(std::span<const std::int32_t> labels, std::size_t classes);

}  // namespace opencd::data
