#include "opencd/methods/registry.hpp"

#include "error.hpp"
#include "opencd/methods/feature_kmeans.hpp"
#include "opencd/methods/open_ncd.hpp"
#include "opencd/methods/simclr.hpp"

#include <array>

namespace opencd {

namespace {

using Make = std::unique_ptr<Method> (*)(const MethodContext&, const Json&);

struct Entry {
  std::string_view name;
  bool training_free;
  Make make;
};

constexpr std::array<Entry, 4> kMethods = {
    Entry{"opencd", false,
          [](const MethodContext& context, const Json& options) -> std::unique_ptr<Method> {
            return std::make_unique<OpenNcd>(context, open_ncd_config(options));
          }},
    Entry{"simclr", false,
          [](const MethodContext& context, const Json& options) -> std::unique_ptr<Method> {
            return std::make_unique<SimClr>(context, simclr_config(options));
          }},
    Entry{"simclr-kmeans", true,
          [](const MethodContext& context, const Json& /*options*/) -> std::unique_ptr<Method> {
            return std::make_unique<FeatureKMeans>(context, FeatureKMeansConfig{});
          }},
    Entry{"gcd-kmeans", true,
          [](const MethodContext& context, const Json& /*options*/) -> std::unique_ptr<Method> {
            return std::make_unique<FeatureKMeans>(context,
                                                   FeatureKMeansConfig{.semi_supervised = true});
          }}};

const Entry& find(std::string_view name) {
  for (const Entry& entry : kMethods)
    if (entry.name == name) return entry;
  fail<UsageError>("[method] there is no method \"{}\"; there are {}", name,
                   fmt::join(method_names(), ", "));
}

}  // namespace

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  names.reserve(kMethods.size());
  for (const Entry& entry : kMethods) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Method> make_method(std::string_view name,
                                    const MethodContext& context,
                                    const Json& options) {
  return find(name).make(context, options);
}

bool is_training_free(std::string_view name) { return find(name).training_free; }

}  // namespace opencd
