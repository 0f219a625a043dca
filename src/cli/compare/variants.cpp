#include "cli/compare/variants.hpp"

#include "error.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace opencd::cli {

namespace {

Variant flagged(const char* tag, const char* label, const char* key, bool MethodArguments::* flag) {
  return {tag, label, [key, flag](TrainOptions& o) {
            o.method.*flag = true;
            note_setting(o, key, true);
          }};
}

/// A flag that opencd+ has by itself, taken away.
Variant without(const char* tag, const char* label, const char* key, bool OpenNcdConfig::* flag) {
  return {tag, label, [key, flag](TrainOptions& o) {
            o.method.open_ncd.*flag = false;
            note_setting(o, key, false);
          }};
}

Variant weightless(const char* tag, const char* label, const char* key, double OpenNcdConfig::* w) {
  return {tag, label, [key, w](TrainOptions& o) {
            o.method.open_ncd.*w = 0.0;
            note_setting(o, key, 0.0);
          }};
}

template <class T>
T parse_value(const std::string& key, const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool in_range = value >= T{} && value <= std::numeric_limits<T>::max();  // NaN is not
  if (text.empty() || error != std::errc() || stop != end || !in_range)
    fail<UsageError>("--sweep: expected {}=NUMBER,NUMBER,..., got '{}' among its values", key,
                     text);
  return value;
}

bool is_as_in(const SweepBase& base, const std::string& key, std::size_t value) {
  if (key == "known") return value == base.known && base.options.split.known_classes.empty();
  return static_cast<std::int64_t>(value) == base.options.method.open_ncd.prototypes;
}

bool is_as_in(const SweepBase& base, const std::string& key, double value) {
  const OpenNcdConfig& method = base.options.method.open_ncd;
  return value == (key == "lambda-reg" ? method.lambda_reg : method.lambda_ce);
}

/// What a value of a sweep changes; UsageError for keys that cannot be swept.
Variant sweep_variant(const std::string& key, const std::string& text, const SweepBase& base) {
  Variant variant{key + "-" + text, text};
  if (key == "known" || key == "prototypes") {
    const auto value = parse_value<std::size_t>(key, text);
    if (is_as_in(base, key, value)) return {"", text};
    variant.apply = [key, value](TrainOptions& o) {
      if (key == "known") {
        o.split.known = value;
        o.split.known_classes.clear();
      } else {
        o.method.open_ncd.prototypes = static_cast<std::int64_t>(value);
      }
      note_setting(o, key, value);
    };
  } else if (key == "lambda-reg" || key == "lambda-ce") {
    const auto value = parse_value<double>(key, text);
    if (is_as_in(base, key, value)) return {"", text};
    if (value == 0.0) variant.tag = key == "lambda-reg" ? "no-reg" : "no-ce";  // as in the ablation
    variant.apply = [key, value](TrainOptions& o) {
      (key == "lambda-reg" ? o.method.open_ncd.lambda_reg : o.method.open_ncd.lambda_ce) = value;
      note_setting(o, key, value);
    };
  } else {
    fail<UsageError>("--sweep: expected known, prototypes, lambda-reg or lambda-ce, got '{}'", key);
  }
  return variant;
}

}  // namespace

std::vector<Variant> ablations() {
  return {weightless("no-reg", "without L_reg", "lambda-reg", &OpenNcdConfig::lambda_reg),
          weightless("no-ce", "without L_ce", "lambda-ce", &OpenNcdConfig::lambda_ce),
          flagged("no-group", "without L_group", "no-group-loss", &MethodArguments::no_group_loss),
          flagged("no-proto", "without L_proto", "no-proto-loss", &MethodArguments::no_proto_loss),
          {"", "full"}};
}

std::vector<Variant> plus_ablations() {
  return {
      {"no-share", "with labelled rows as in the set",
       [](TrainOptions& o) {
         o.method.plus.labeled_share = 0.0;
         note_setting(o, "labeled-share", 0.0);
       }},
      {"no-balance", "without balanced prediction",
       [](TrainOptions& o) {
         o.method.plus.balanced_prediction = false;
         note_setting(o, "balanced-prediction", false);
       }},
      {"one-set", "with one set of prototypes",
       [](TrainOptions& o) {
         o.method.open_ncd.grouping_sets = 1;
         note_setting(o, "grouping-sets", 1);
       }},
      without("deaf", "without labels in grouping", "grouping-labels",
              &OpenNcdConfig::grouping_labels),
      without("warm-all", "training the encoder in the warm stage", "warm-head-only",
              &OpenNcdConfig::warm_head_only),
      without("dead", "with groups of prototypes without rows", "drop-dead-prototypes",
              &OpenNcdConfig::drop_dead),
      flagged("targets", "with balanced targets", "balanced-targets",
              &MethodArguments::balanced_targets),
      flagged("strong", "with strong views", "strong-views", &MethodArguments::strong_views),
      flagged("whole", "with the whole network", "whole-network", &MethodArguments::whole_network),
      {"", "as it is"}};
}

Sweep parse_sweep(const std::string& text, const SweepBase& base) {
  const std::size_t equals = text.find('=');
  Sweep sweep{text.substr(0, equals), {}};
  std::replace(sweep.key.begin(), sweep.key.end(), '_', '-');
  std::string rest = equals == std::string::npos ? "" : text.substr(equals + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    sweep.variants.push_back(sweep_variant(sweep.key, rest.substr(0, comma), base));
    if (comma == std::string::npos) return sweep;
    rest = rest.substr(comma + 1);
  }
}

}  // namespace opencd::cli
