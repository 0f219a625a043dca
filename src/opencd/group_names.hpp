// What groups are called: a known class by its name, a discovered group by the name that its user
// gave it, else "group 7".
//
// names.json of a run: {"format": "opencd_sycl names 1", "grouping": "5891b5b5...", "names": {"7":
// "sneaker"}}. Names hold for one grouping: after prototypes were grouped anew, group 7 is another.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace opencd {

class GroupNames {
 public:
  /// Names of the known classes, which are the first groups, and how many groups there are.
  GroupNames(std::vector<std::string> known, std::size_t groups);

  std::size_t size() const { return groups_; }
  bool is_known(std::int32_t group) const {
    return group >= 0 && static_cast<std::size_t>(group) < known_.size();
  }
  std::string of(std::int32_t group) const;
  /// The names that the user gave.
  const std::map<std::int32_t, std::string>& given() const { return given_; }

  /// UsageError for a group that is not there or stands for a known class, for the name of a known
  /// class, and for text that is empty or not UTF-8 without control characters.
  void give(std::int32_t group, const std::string& name);
  /// Takes the name of a group away.
  void clear(std::int32_t group);
  /// UsageError if two groups have one name. Asked once all names are given, so that two groups can
  /// change names with each other.
  void check() const;

 private:
  void require_discovered(std::int32_t group) const;

  std::vector<std::string> known_;
  std::size_t groups_;
  std::map<std::int32_t, std::string> given_;
};

/// "7" as a number; UsageError for anything else.
std::int32_t parse_group(const std::string& text);

/// The same for equal groupings only, however the model went on learning.
std::string grouping_id(const nlohmann::ordered_json& method_state);

/// Takes over the names in `file`, if it is there. False, and nothing is taken, if they were given for
/// another grouping; FormatError if they do not read.
bool read_names(const std::filesystem::path& file, const std::string& grouping, GroupNames& names);
void write_names(const std::filesystem::path& file,
                 const std::string& grouping,
                 const GroupNames& names);

}  // namespace opencd
