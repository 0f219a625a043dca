// How long work ends early when its caller wants to stop.
#pragma once

#include <exception>

namespace opencd {

/// Thrown out of long work between steps when the caller wants to stop; nothing has changed by it.
class Interrupted : public std::exception {};

}  // namespace opencd
