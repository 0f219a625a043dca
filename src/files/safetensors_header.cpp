#include "files/safetensors_header.hpp"

#include "error.hpp"
#include "files/printable.hpp"
#include "files/strict_json.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

namespace opencd::files {

namespace {
using nlohmann::json;

constexpr std::string_view kMetadataKey = "__metadata__";

// A tensor takes about ten values, so this allows some 400,000 tensors.
constexpr JsonLimits kHeaderLimits = {
    .bytes = kMostHeaderBytes, .depth = 3, .values = std::size_t{4} << 20u};

/// Bytes of a tensor; nothing if the shape is negative or the number does not fit 63 bits.
std::optional<std::uint64_t> byte_count(const TensorEntry& tensor) {
  auto count = static_cast<std::int64_t>(bytes_of(tensor.type));
  for (const std::int64_t extent : tensor.shape)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  return static_cast<std::uint64_t>(count);
}

/// Reads the description of one tensor; every complaint names the file and the tensor.
class TensorParser {
 public:
  TensorParser(const std::filesystem::path& file, const std::string& name)
      : where_(fmt::format("{}: tensor {}", in_quotes(file.native()), in_quotes(name))) {
    tensor_.name = name;
  }

  TensorInfo parse(const json& description) {
    if (!description.is_object()) refuse("is not described by an object");
    for (const auto& [key, value] : description.items())
      if (key != "dtype" && key != "shape" && key != "data_offsets")
        refuse(fmt::format("has an unknown property {}", in_quotes(key)));
    parse_type(property(description, "dtype"));
    tensor_.shape = parse_numbers(property(description, "shape"), "shape");
    parse_offsets(property(description, "data_offsets"));
    check_size();
    return std::move(tensor_);
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    fail<FormatError>("[safetensors] {} {}", where_, why);
  }

  const json& property(const json& description, const char* key) const {
    const auto found = description.find(key);
    if (found == description.end()) refuse(fmt::format("has no \"{}\"", key));
    return *found;
  }

  void parse_type(const json& value) {
    if (!value.is_string()) refuse("has a \"dtype\" that is not a text");
    const auto& name = value.get_ref<const std::string&>();
    const auto type = element_type_named(name);
    if (!type)
      refuse(
          fmt::format("has dtype {}, expected one of {}", in_quotes(name), element_type_names()));
    tensor_.type = *type;
  }

  std::vector<std::int64_t> parse_numbers(const json& values, const char* what) const {
    if (!values.is_array()) refuse(fmt::format("has a \"{}\" that is not a list", what));
    std::vector<std::int64_t> numbers;
    for (const json& value : values) {
      if (!value.is_number_unsigned() ||
          value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
        refuse(fmt::format("has {} in its \"{}\", expected whole numbers from 0 to 2^63 - 1",
                           printable(value.dump()), what));
      numbers.push_back(value.get<std::int64_t>());
    }
    return numbers;
  }

  void parse_offsets(const json& value) {
    const auto offsets = parse_numbers(value, "data_offsets");
    if (offsets.size() != 2)
      refuse(fmt::format("has {} \"data_offsets\", expected begin and end", offsets.size()));
    if (offsets[1] < offsets[0])
      refuse(fmt::format("begins at byte {}, behind its end at byte {}", offsets[0], offsets[1]));
    tensor_.begin = static_cast<std::uint64_t>(offsets[0]);
    tensor_.end = static_cast<std::uint64_t>(offsets[1]);
  }

  void check_size() const {
    const auto expected = byte_count(tensor_);
    const auto what = [this] {
      return fmt::format("{} {}", name_of(tensor_.type), format_shape(tensor_.shape));
    };
    if (!expected) refuse(fmt::format("is {}, more bytes than fit 63 bits", what()));
    if (*expected != tensor_.bytes())
      refuse(fmt::format("is {}, which takes {} bytes, but holds bytes {} to {}, which are {}",
                         what(), *expected, tensor_.begin, tensor_.end, tensor_.bytes()));
  }

  std::string where_;
  TensorInfo tensor_;
};

Metadata parse_metadata(const json& values, const std::filesystem::path& file) {
  if (!values.is_object())
    fail<FormatError>("[safetensors] {}: \"__metadata__\" is not an object",
                      in_quotes(file.native()));
  Metadata metadata;
  for (const auto& [key, value] : values.items()) {
    if (!value.is_string())
      fail<FormatError>("[safetensors] {}: metadata {} is not a text", in_quotes(file.native()),
                        in_quotes(key));
    metadata.emplace(key, value.get_ref<const std::string&>());
  }
  return metadata;
}

/// Compact JSON, as the Python library writes it.
std::string json_text(const json& value) {
  try {
    return value.dump();
  } catch (const json::type_error& error) {  // a text that is not UTF-8
    fail<FormatError>("[safetensors] {}", printable(error.what()));
  }
}

/// Neither holes nor overlap, from the first byte of the data to the last.
void check_cover(std::span<const TensorInfo> tensors,
                 std::uint64_t data_bytes,
                 const std::filesystem::path& file) {
  std::uint64_t covered = 0;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.begin != covered)
      fail<FormatError>("[safetensors] {}: tensor {} begins at data byte {}, expected {} ({})",
                        in_quotes(file.native()), in_quotes(tensor.name), tensor.begin, covered,
                        tensor.begin > covered ? "a hole" : "an overlap");
    covered = tensor.end;
  }
  if (covered != data_bytes)
    fail<FormatError>("[safetensors] {}: the tensors take {} bytes of data, the file holds {}{}",
                      in_quotes(file.native()), covered, data_bytes,
                      covered > data_bytes ? "; it was cut short" : "");
}
}  // namespace

SafetensorsHeader parse_header(std::string_view text,
                               std::uint64_t data_bytes,
                               const std::filesystem::path& file) {
  if (!text.starts_with('{'))
    fail<FormatError>("[safetensors] {}: the header does not begin with \"{{\"",
                      in_quotes(file.native()));
  const json description = parse_json(text, file, kHeaderLimits);
  SafetensorsHeader header;
  for (const auto& [name, value] : description.items()) {
    if (name == kMetadataKey)
      header.metadata = parse_metadata(value, file);
    else
      header.tensors.push_back(TensorParser(file, name).parse(value));
  }
  std::ranges::sort(header.tensors, {}, [](const TensorInfo& tensor) {
    return std::tie(tensor.begin, tensor.end, tensor.name);
  });
  check_cover(header.tensors, data_bytes, file);
  return header;
}

std::vector<TensorInfo> lay_out(std::span<const TensorEntry> tensors) {
  std::vector<TensorInfo> laid_out;
  std::set<std::string_view> names = {kMetadataKey};
  std::uint64_t begin = 0;
  for (const TensorEntry& tensor : tensors) {
    if (!names.insert(tensor.name).second)
      fail<ShapeError>("[safetensors] two tensors called {}", in_quotes(tensor.name));
    const auto bytes = byte_count(tensor);
    if (!bytes || *bytes > std::numeric_limits<std::int64_t>::max() - begin)
      fail<ShapeError>("[safetensors] tensor {} cannot have the shape {}", in_quotes(tensor.name),
                       format_shape(tensor.shape));
    laid_out.push_back({tensor, begin, begin + *bytes});
    begin += *bytes;
  }
  return laid_out;
}

std::string format_header(std::span<const TensorInfo> tensors, const Metadata& metadata) {
  std::string text = "{";
  const auto add = [&text](std::string_view name, std::string_view value) {
    if (text.size() > 1) text += ',';
    text += fmt::format("{}:{}", json_text(name), value);
  };
  if (!metadata.empty()) add(kMetadataKey, json_text(metadata));
  for (const TensorInfo& tensor : tensors)
    add(tensor.name,
        fmt::format(R"({{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", name_of(tensor.type),
                    fmt::join(tensor.shape, ","), tensor.begin, tensor.end));
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kMostHeaderBytes)
    fail<FormatError>("[safetensors] the header would take {} bytes, expected at most {}",
                      text.size(), kMostHeaderBytes);
  std::string length;
  for (unsigned i = 0; i < 8; ++i) length += static_cast<char>(text.size() >> (8 * i));
  return length + text;
}

std::string format_shape(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace opencd::files
