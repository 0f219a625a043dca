// What a method is to do, as far as it is known before anything is read or built.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opencd {

struct MethodTask {
  std::size_t known = 0;    // known classes
  std::size_t classes = 0;  // all of them; 0: unknown
  std::int64_t epochs = 0;
};

}  // namespace opencd
