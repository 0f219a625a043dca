#include "opencd/methods/published_set.hpp"

#include "error.hpp"

namespace opencd {

PublishedSet published_set(const Json& options, std::size_t known) {
  const std::string name = options.value("values-of", "auto");
  if (name == "cifar10") return PublishedSet::cifar10;
  if (name == "cifar100") return PublishedSet::cifar100;
  if (name != "auto")
    fail<UsageError>("[method] expected --values-of auto, cifar10 or cifar100, got {}", name);
  return known <= kMostKnownOfCifar10 ? PublishedSet::cifar10 : PublishedSet::cifar100;
}

double number_or_published(const Json& options, const char* name, double published, double most) {
  const double number = options.value(name, published);
  if (!(number >= 0.0 && number <= most))
    fail<UsageError>("[method] expected --{} from 0 to {}, got {}", name, most, number);
  return number;
}

}  // namespace opencd
