#include "files/strict_json.hpp"

#include "error.hpp"
#include "files/input_file.hpp"
#include "files/printable.hpp"

#include <string>
#include <unordered_set>
#include <vector>

namespace opencd::files {

namespace {
using nlohmann::json;

/// Watches the parser at work. It throws, since a callback that returns false merely drops a value.
class Watch {
 public:
  Watch(const std::filesystem::path& file, const JsonLimits& limits)
      : file_(file), limits_(limits) {}

  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    switch (event) {
      case json::parse_event_t::object_start: objects_.emplace_back(); [[fallthrough]];
      case json::parse_event_t::array_start: enter(static_cast<std::size_t>(depth) + 1); break;
      case json::parse_event_t::object_end: objects_.pop_back(); break;
      case json::parse_event_t::array_end: break;
      case json::parse_event_t::key: take_key(parsed.get_ref<const std::string&>()); break;
      case json::parse_event_t::value: count(); break;
    }
    return true;
  }

 private:
  void enter(std::size_t depth) {
    if (depth > limits_.depth)
      fail<FormatError>("[json] {}: nested deeper than {} levels", in_quotes(file_.native()),
                        limits_.depth);
    count();
  }

  void count() {
    if (++values_ > limits_.values)
      fail<FormatError>("[json] {}: more than {} values", in_quotes(file_.native()),
                        limits_.values);
  }

  void take_key(const std::string& key) {
    if (!objects_.back().insert(key).second)
      fail<FormatError>("[json] {}: key {} appears twice in one object", in_quotes(file_.native()),
                        in_quotes(key));
  }

  const std::filesystem::path& file_;
  const JsonLimits& limits_;
  std::size_t values_ = 0;
  std::vector<std::unordered_set<std::string>> objects_;  // keys of the objects that are open
};
}  // namespace

json parse_json(std::string_view text,
                const std::filesystem::path& file,
                const JsonLimits& limits) {
  if (text.size() > limits.bytes)
    fail<FormatError>("[json] {}: {} bytes of JSON, expected at most {}", in_quotes(file.native()),
                      text.size(), limits.bytes);
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    fail<FormatError>("[json] {}: zero byte at byte {}", in_quotes(file.native()), zero);
  Watch watch(file, limits);
  try {
    return json::parse(text, [&watch](int depth, json::parse_event_t event, json& parsed) {
      return watch(depth, event, parsed);
    });
  } catch (const json::exception& error) {
    fail<FormatError>("[json] {}: {}", in_quotes(file.native()), printable(error.what(), 300));
  }
}

json read_json_file(const std::filesystem::path& file, const JsonLimits& limits) {
  return parse_json(read_text_file(file, limits.bytes), file, limits);
}

}  // namespace opencd::files
