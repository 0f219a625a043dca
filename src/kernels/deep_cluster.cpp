#include "kernels/deep_cluster.hpp"

#include "kernels/check.hpp"
#include "kernels/device/deep_cluster.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

namespace {

constexpr const char* kName = "deep_cluster_loss";

void check(const AssignedView& view, Rows<const float> centres, std::size_t rows) {
  require_equal(kName, "rows", rows, view.z.rows);
  require_equal(kName, "columns", centres.columns, view.z.columns);
  require_equal(kName, "rows of assignments", rows, view.s.rows);
  require_equal(kName, "clusters", centres.rows, view.s.columns);
  require_equal(kName, "totals", rows, view.totals.size);
  require_same_shape(kName, view.z, view.diff_z);
}

}  // namespace

void student_assignments(Device& device,
                         Rows<const float> z,
                         Rows<const float> centres,
                         Rows<float> s,
                         View<float> totals) {
  constexpr const char* kAssign = "student_assignments";
  require_equal(kAssign, "columns of the centres", z.columns, centres.columns);
  require_equal(kAssign, "rows of assignments", z.rows, s.rows);
  require_equal(kAssign, "clusters", centres.rows, s.columns);
  require_equal(kAssign, "totals", z.rows, totals.size);
  launch_rows(device, z.rows, s.columns,
              StudentRows{z.data, centres.data, s.data, totals.data, to_int(kAssign, z.columns),
                          to_int(kAssign, s.columns)});
}

void deep_cluster_loss(Device& device,
                       Scratch& scratch,
                       const AssignedView& view1,
                       const AssignedView& view2,
                       Rows<const float> centres,
                       const ClusterTargets& targets,
                       Rows<float> diff_centres,
                       View<DeepClusterRecord> record,
                       float consistency_weight) {
  const std::size_t b = view1.z.rows;
  check(view1, centres, b);
  check(view2, centres, b);
  require_equal(kName, "columns of the targets", centres.rows, targets.targets.columns);
  require_equal(kName, "row numbers", b, targets.row_numbers.size);
  require_equal(kName, "labels", b, targets.labels.size);
  require_same_shape(kName, centres, diff_centres);
  require_equal(kName, "records", 1, record.size);
  const Scratch::Frame frame(scratch);
  const Rows<float> pulls1 = scratch.take_rows<float>(b, centres.rows);
  const Rows<float> pulls2 = scratch.take_rows<float>(b, centres.rows);
  const View<float> kl = scratch.take<float>(b);
  const View<float> consistency = scratch.take<float>(b);
  const int rows = to_int(kName, b);
  const int columns = to_int(kName, centres.columns);
  const int clusters = to_int(kName, centres.rows);
  launch_rows(device, b, centres.rows,
              DeepClusterRows{{view1.s.data, view1.totals.data, pulls1.data},
                              {view2.s.data, view2.totals.data, pulls2.data},
                              targets.targets.data,
                              targets.row_numbers.data,
                              targets.labels.data,
                              kl.data,
                              consistency.data,
                              rows,
                              clusters,
                              consistency_weight});
  launch_rows(
      device, 1, b,
      DeepClusterSummary{kl.data, consistency.data, targets.labels.data, record.data, rows});
  launch_elements(device, view1.z.size(),
                  StudentRowGradient{view1.z.data, centres.data, pulls1.data, view1.diff_z.data,
                                     view1.z.size(), columns, clusters});
  launch_elements(device, view2.z.size(),
                  StudentRowGradient{view2.z.data, centres.data, pulls2.data, view2.diff_z.data,
                                     view2.z.size(), columns, clusters});
  launch_elements(device, centres.size(),
                  StudentCentreGradient{view1.z.data, view2.z.data, pulls1.data, pulls2.data,
                                        centres.data, diff_centres.data, rows, columns, clusters});
}

std::size_t deep_cluster_scratch_bytes(std::size_t rows, std::size_t clusters) {
  return 2 * Scratch::aligned(rows * clusters * sizeof(float)) +
         2 * Scratch::aligned(rows * sizeof(float));
}

}  // namespace opencd::kernels
