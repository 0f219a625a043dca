// Which data set's published values a baseline takes where its authors have other ones for CIFAR-10 and for
// CIFAR-100, and where an option does not say its own.
#pragma once

#include "opencd/method.hpp"

namespace opencd {

enum class PublishedSet { cifar10, cifar100 };

/// With the option "values-of" at auto, or left out: CIFAR-10's values hold for so many known classes at
/// most, CIFAR-100's for more.
inline constexpr std::size_t kMostKnownOfCifar10 = 10;

/// UsageError unless "values-of" is auto, cifar10 or cifar100.
PublishedSet published_set(const Json& options, std::size_t known);

/// The option called `name`, or the published value. UsageError below 0 and above `most`.
double number_or_published(const Json& options,
                           const char* name,
                           double published,
                           double most = 1.0);

}  // namespace opencd
