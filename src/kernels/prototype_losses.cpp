#include "kernels/prototype_losses.hpp"

#include "kernels/check.hpp"
#include "kernels/columns.hpp"
#include "kernels/device/prototype_gradients.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

namespace {

constexpr const char* kName = "prototype_losses";

void check(const PrototypeGroups& groups,
           const PrototypeBatch& batch,
           const Rows<float>& diff1,
           const Rows<float>& diff2,
           const View<PrototypeLossRecord>& record,
           const PrototypeLossConfig& config) {
  if (batch.p1.rows == 0) fail<ShapeError>("[{}] expected at least one row, got none", kName);
  if (!(config.temperature > 0.0f))
    fail<ShapeError>("[{}] expected a temperature above 0, got {}", kName, config.temperature);
  if (config.labelled_share > 1.0f)
    fail<ShapeError>("[{}] expected a share of labelled rows of 1 at most, got {}", kName,
                     config.labelled_share);
  require_equal(kName, "prototypes", groups.prototypes(), batch.p1.columns);
  require_same_shape(kName, batch.p1, batch.p2);
  require_same_shape(kName, batch.p1, diff1);
  require_same_shape(kName, batch.p1, diff2);
  require_equal(kName, "partners", batch.p1.rows, batch.partners.size);
  require_equal(kName, "labels", batch.p1.rows, batch.labels.size);
  require_equal(kName, "entries of the prior", batch.p1.columns, batch.prior.size);
  require_equal(kName, "records", 1, record.size);
}

/// What lies between the kernels of one call.
struct Temporaries {
  View<AnchorTerms> terms;
  View<float> row_weights, mean, pull;
  Rows<float> diff_q, diff_r;

  Temporaries(Scratch& scratch, std::size_t rows, std::size_t prototypes, std::size_t groups)
      : terms(scratch.take<AnchorTerms>(rows)),
        row_weights(scratch.take<float>(rows)),
        mean(scratch.take<float>(prototypes)),
        pull(scratch.take<float>(prototypes)),
        diff_q(scratch.take_rows<float>(rows, groups)),
        diff_r(scratch.take_rows<float>(rows, groups)) {}
};

}  // namespace

void prototype_losses(Device& device,
                      Scratch& scratch,
                      const PrototypeGroups& groups,
                      const PrototypeBatch& batch,
                      Rows<float> diff1,
                      Rows<float> diff2,
                      View<PrototypeLossRecord> record,
                      const PrototypeLossConfig& config) {
  check(groups, batch, diff1, diff2, record, config);
  const auto [p1, p2, partners, labels, prior] = batch;
  const Scratch::Frame frame(scratch);
  const Temporaries at(scratch, p1.rows, p1.columns, groups.groups());
  const int anchors = to_int(kName, p1.rows);
  const int prototypes = to_int(kName, p1.columns);
  const int group_count = to_int(kName, groups.groups());

  launch_rows(device, p1.rows, p1.columns,
              PrototypeAnchors{p1.data, p2.data, partners.data, labels.data, groups.members().data,
                               groups.starts().data, at.terms.data, at.diff_q.data, at.diff_r.data,
                               prototypes, group_count, config.form});
  launch_rows(device, 1, p1.rows,
              RowWeights{labels.data, at.row_weights.data, anchors, config.labelled_share});
  weighted_column_mean(device, scratch, p1, at.row_weights, at.mean);
  launch_rows(device, 1, p1.rows,
              PrototypeSummary{at.terms.data, labels.data, at.mean.data, prior.data, at.pull.data,
                               record.data, anchors, prototypes, config.weights});
  const PrototypeBackward in{p1.data,
                             p2.data,
                             partners.data,
                             groups.group_of().data,
                             at.terms.data,
                             anchors,
                             prototypes,
                             group_count,
                             config.form,
                             config.weights,
                             1.0f / config.temperature};
  launch_rows(device, p1.rows, p1.columns,
              PrototypeGradientView1{in, labels.data, at.row_weights.data, at.diff_q.data,
                                     at.pull.data, record.data, diff1.data});
  launch_rows(device, p1.rows, p1.columns, PrototypeGradientView2{in, at.diff_r.data, diff2.data});
}

std::size_t prototype_loss_scratch_bytes(std::size_t rows,
                                         std::size_t prototypes,
                                         std::size_t groups) {
  return Scratch::aligned(rows * sizeof(AnchorTerms)) + Scratch::aligned(rows * sizeof(float)) +
         2 * Scratch::aligned(prototypes * sizeof(float)) +
         2 * Scratch::aligned(rows * groups * sizeof(float)) +
         column_scratch_bytes(rows, prototypes);
}

}  // namespace opencd::kernels
