// The kernels that find, group and show: nearest prototypes, their co-occurrence, k-means; views of
// features; nearest rows, t-SNE.
#include "kernels/device/co_occurrence.hpp"
#include "kernels/device/feature_views.hpp"
#include "kernels/device/kmeans.hpp"
#include "kernels/device/nearest_rows.hpp"
#include "kernels/device/top_k.hpp"
#include "kernels/device/tsne.hpp"
