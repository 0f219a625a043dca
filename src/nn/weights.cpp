#include "nn/weights.hpp"

#include "error.hpp"
#include "files/printable.hpp"
#include "files/safetensors.hpp"
#include "files/safetensors_writer.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace opencd::nn {

namespace {
using files::format_shape;
using files::in_quotes;
using files::SafetensorsFile;
using files::TensorInfo;

/// Which tensor of the file stands for which expected one.
struct Match {
  std::vector<const TensorInfo*> found;  // null: none
  LoadReport report;
};

/// The tensors expected, by name.
using Index = std::map<std::string_view, std::size_t>;

Index index_of(std::span<const TensorSpec> expected) {
  Index index;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!index.emplace(expected[i].name, i).second)
      fail<ShapeError>("[weights] two expected tensors called {}", in_quotes(expected[i].name));
  return index;
}

/// The expected tensor that `name` means once leading prefixes are gone; the end if there is none.
Index::const_iterator look_up(const Index& index,
                              std::string_view name,
                              std::span<const std::string_view> prefixes) {
  while (true) {
    const auto found = index.find(name);
    if (found != index.end()) return found;
    const auto prefix = std::ranges::find_if(prefixes, [name](std::string_view front) {
      return !front.empty() && name.starts_with(front);
    });
    if (prefix == prefixes.end()) return index.end();
    name.remove_prefix(prefix->size());
  }
}

Match match(const SafetensorsFile& file,
            std::span<const TensorSpec> expected,
            std::span<const std::string_view> prefixes) {
  const Index index = index_of(expected);
  Match result{std::vector<const TensorInfo*>(expected.size(), nullptr), {}};
  for (const TensorInfo& tensor : file.tensors()) {
    const auto meant = look_up(index, tensor.name, prefixes);
    // A prefixed tensor does not count beside one with the plain name.
    const TensorInfo* plain = meant == index.end() ? nullptr : file.find(meant->first);
    if (meant == index.end() || (plain && plain != &tensor)) {
      if (!tensor.name.ends_with(".num_batches_tracked"))
        result.report.left_over.push_back({tensor.name, tensor.shape});
      continue;
    }
    const TensorInfo*& found = result.found[meant->second];
    if (found)
      fail<FormatError>("[weights] {}: both {} and {} could be {}", in_quotes(file.path().native()),
                        in_quotes(found->name), in_quotes(tensor.name), in_quotes(meant->first));
    found = &tensor;
  }
  return result;
}

/// Lets go of the tensors whose shape is not the expected one, and counts.
void check_shapes(Match& result, std::span<const TensorSpec> expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const TensorInfo*& found = result.found[i];
    if (!found) {
      result.report.missing.push_back(expected[i]);
    } else if (found->shape != expected[i].shape) {
      result.report.wrong_shape.push_back({expected[i], found->shape});
      found = nullptr;
    } else {
      ++result.report.matched;
    }
  }
}

/// The position of the first value that is not finite; the number of values if all are.
std::size_t first_not_finite(std::span<const float> values) {
  const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  return static_cast<std::size_t>(bad - values.begin());
}

std::vector<std::vector<float>> read_values(const SafetensorsFile& file,
                                            std::span<const TensorInfo* const> tensors) {
  std::vector<std::vector<float>> values;
  for (const TensorInfo* tensor : tensors) {
    values.push_back(tensor ? file.read_f32(tensor->name) : std::vector<float>{});
    const std::size_t bad = first_not_finite(values.back());
    if (bad < values.back().size())
      fail<FormatError>("[weights] {}: tensor {} holds {} at element {}, expected finite numbers",
                        in_quotes(file.path().native()), in_quotes(tensor->name),
                        values.back()[bad], bad);
  }
  return values;
}

/// "; missing: "a" [1], "b" [2] and 7 more", nothing for an empty list.
template <class Item, class Describe>
std::string listed(std::string_view title, const std::vector<Item>& items, Describe&& describe) {
  constexpr std::size_t kMostShown = 4;
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < kMostShown; ++i)
    text += fmt::format("{}{}", i == 0 ? fmt::format("; {}: ", title) : ", ", describe(items[i]));
  if (items.size() > kMostShown) text += fmt::format(" and {} more", items.size() - kMostShown);
  return text;
}
}  // namespace

std::string LoadReport::summary() const {
  const auto name_and_shape = [](const TensorSpec& tensor) {
    return fmt::format("{} {}", in_quotes(tensor.name), format_shape(tensor.shape));
  };
  const auto both_shapes = [](const WrongShape& wrong) {
    return fmt::format("{} is {}, expected {}", in_quotes(wrong.expected.name),
                       format_shape(wrong.found), format_shape(wrong.expected.shape));
  };
  return fmt::format(
      "{} of {} tensors match{}{}{}", matched, matched + missing.size() + wrong_shape.size(),
      listed("wrong shape", wrong_shape, both_shapes), listed("missing", missing, name_and_shape),
      listed("left over", left_over, name_and_shape));
}

std::vector<std::vector<float>> load_weights(const std::filesystem::path& path,
                                             std::span<const TensorSpec> expected) {
  const SafetensorsFile file(path);
  Match found = match(file, expected, {});
  check_shapes(found, expected);
  if (!found.report.complete())
    fail<FormatError>("[weights] {} is not for this network: {}", in_quotes(path.native()),
                      found.report.summary());
  return read_values(file, found.found);
}

MatchingWeights load_matching_weights(const std::filesystem::path& path,
                                      std::span<const TensorSpec> expected,
                                      std::span<const std::string_view> prefixes) {
  const SafetensorsFile file(path);
  Match found = match(file, expected, prefixes);
  check_shapes(found, expected);
  if (found.report.matched == 0)
    fail<FormatError>("[weights] {} has nothing for this network: {}", in_quotes(path.native()),
                      found.report.summary());
  return {read_values(file, found.found), std::move(found.report)};
}

void save_weights(const std::filesystem::path& path,
                  std::span<const TensorSpec> tensors,
                  const std::function<std::vector<float>(std::size_t)>& values_of,
                  files::Metadata metadata) {
  metadata.emplace("format", "pt");  // what readers in Python look for
  std::vector<files::TensorEntry> entries;
  for (const TensorSpec& tensor : tensors)
    entries.push_back({tensor.name, files::ElementType::f32, tensor.shape});
  files::SafetensorsWriter writer(path, entries, metadata);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::vector<float> values = values_of(i);
    const std::size_t bad = first_not_finite(values);
    if (bad < values.size())
      fail<NonFiniteError>("[weights] {}: tensor {} is {} at element {}; nothing was saved",
                           in_quotes(path.native()), in_quotes(tensors[i].name), values[bad], bad);
    writer.write<float>(tensors[i].name, values);
  }
  writer.commit();
}

}  // namespace opencd::nn
