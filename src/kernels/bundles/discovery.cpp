// The kernels that find and group: nearest prototypes, their co-occurrence, k-means; views of features.
#include "kernels/device/co_occurrence.hpp"
#include "kernels/device/feature_views.hpp"
#include "kernels/device/kmeans.hpp"
#include "kernels/device/top_k.hpp"
