#include "opencd/group_names.hpp"

#include "data/file.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/sha256.hpp"
#include "files/strict_json.hpp"

#include <algorithm>
#include <charconv>

namespace opencd {

namespace {

constexpr const char* kNamesFormat = "opencd_sycl names 1";

}  // namespace

std::int32_t parse_group(const std::string& text) {
  std::int32_t group = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, group);
  if (error != std::errc{} || stop != end)
    fail<UsageError>("[names] expected the number of a group, got \"{}\"",
                     data::display_text(text));
  return group;
}

GroupNames::GroupNames(std::vector<std::string> known, std::size_t groups)
    : known_(std::move(known)), groups_(groups) {}

std::string GroupNames::of(std::int32_t group) const {
  if (is_known(group)) return known_[static_cast<std::size_t>(group)];
  const auto found = given_.find(group);
  return found != given_.end() ? found->second : fmt::format("group {}", group);
}

void GroupNames::require_discovered(std::int32_t group) const {
  if (group < 0 || static_cast<std::size_t>(group) >= groups_)
    fail<UsageError>("[names] there is no group {}; there are 0 to {}", group, groups_ - 1);
  if (is_known(group))
    fail<UsageError>("[names] group {} is the known class {}, which has its name from the data",
                     group, data::display_text(of(group)));
}

void GroupNames::give(std::int32_t group, const std::string& name) {
  require_discovered(group);
  if (name.empty() || !data::is_clean_text(name))
    fail<UsageError>(
        "[names] group {}: expected a name in UTF-8 without control characters, got \"{}\"", group,
        data::display_text(name));
  if (std::find(known_.begin(), known_.end(), name) != known_.end())
    fail<UsageError>("[names] group {} cannot be called {}: that is a known class", group, name);
  given_[group] = name;
}

void GroupNames::clear(std::int32_t group) {
  require_discovered(group);
  given_.erase(group);
}

void GroupNames::check() const {
  std::map<std::string, std::int32_t> seen;
  for (const auto& [group, name] : given_)
    if (const auto [other, is_new] = seen.emplace(name, group); !is_new)
      fail<UsageError>("[names] groups {} and {} cannot both be called {}", other->second, group,
                       name);
}

std::string grouping_id(const nlohmann::ordered_json& method_state) {
  return files::sha256(
      (method_state.contains("group_of") ? method_state.at("group_of") : method_state).dump());
}

bool read_names(const std::filesystem::path& file, const std::string& grouping, GroupNames& names) {
  if (!std::filesystem::exists(file)) return true;
  const nlohmann::json object = files::read_json_file(file);
  const std::string path = data::display_name(file);
  try {
    if (object.at("format") != kNamesFormat)
      fail<FormatError>("[names] {}: expected the format \"{}\"", path, kNamesFormat);
    if (object.at("grouping") != grouping) return false;
    for (const auto& [group, name] : object.at("names").items())
      names.give(parse_group(group), name.get<std::string>());
    names.check();
    return true;
  } catch (const nlohmann::json::exception& error) {
    fail<FormatError>("[names] {} does not read: {}", path, error.what());
  } catch (const UsageError& error) {
    fail<FormatError>("[names] {} does not fit the run: {}; remove it to name its groups anew",
                      path, error.what());
  }
}

void write_names(const std::filesystem::path& file,
                 const std::string& grouping,
                 const GroupNames& names) {
  nlohmann::ordered_json given = nlohmann::ordered_json::object();
  for (const auto& [group, name] : names.given()) given[std::to_string(group)] = name;
  const nlohmann::ordered_json object = {
      {"format", kNamesFormat}, {"grouping", grouping}, {"names", given}};
  files::write_file(file, object.dump(2) + "\n");
}

}  // namespace opencd
