// The kernels that find and group: nearest prototypes, their co-occurrence, k-means.
#include "kernels/device/co_occurrence.hpp"
#include "kernels/device/kmeans.hpp"
#include "kernels/device/top_k.hpp"
