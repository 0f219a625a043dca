// `doctor`: a short self-test that tells whether a device computes what it should.
#include "bench/data.hpp"
#include "bench/network_checks.hpp"
#include "bench/op_cases.hpp"
#include "cli/commands.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/norm.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>

namespace opencd::cli {

namespace {

struct Finding {
  std::string what;
  int checked = 0;
  std::vector<std::string> wrong;
};

void examine(Finding& finding, const std::vector<bench::Case>& cases) {
  for (const bench::Case& what : cases) {
    ++finding.checked;
    const std::string wrong = what.check();
    if (!wrong.empty())
      finding.wrong.push_back(fmt::format("{} {}: {}", what.name, what.params.dump(), wrong));
  }
}

Finding examine_kernels(kernels::Device& device) {
  Finding finding{.what = "kernels"};
  for (const std::size_t elements : {1, 255, 65'537})
    examine(finding, bench::streaming_cases(device, {.elements = elements}));
  for (const auto& [rows, columns] : {std::pair{1, 1}, {7, 17}, {33, 500}, {20'000, 10}})
    examine(finding, bench::row_cases(device, {.rows = static_cast<std::size_t>(rows),
                                               .columns = static_cast<std::size_t>(columns)}));
  for (const auto& [rows, prototypes] : {std::pair{1, 1}, {7, 17}, {33, 500}})
    examine(finding, bench::loss_cases(device, {.rows = static_cast<std::size_t>(rows),
                                                .columns = static_cast<std::size_t>(prototypes)}));
  for (const std::size_t rows : {2, 17, 257})
    examine(finding, bench::map_cases(device, {.rows = rows}));
  for (const auto& [rows, columns] : {std::pair{2, 2}, {7, 17}, {130, 10}})
    examine(finding,
            bench::method_loss_cases(device, {.rows = static_cast<std::size_t>(rows),
                                              .columns = static_cast<std::size_t>(columns)}));
  return finding;
}

Finding examine_gemm(const nn::Engine& engine) {
  Finding finding{.what = "matrix products"};
  for (const std::size_t n : {1, 17, 256}) {
    if (engine.device().has_onemkl()) examine(finding, {bench::gemm_case(engine, n, true)});
    examine(finding, {bench::gemm_case(engine, n, false)});
  }
  return finding;
}

Finding examine_augmentation(kernels::Device& device) {
  Finding finding{.what = "augmentation"};
  examine(finding, bench::augment_cases(device));
  return finding;
}

Finding examine_network(const nn::Engine& engine) {
  Finding finding{.what = "network"};
  for (const bench::Check& check : bench::network_checks(engine)) {
    ++finding.checked;
    const std::string wrong = check.run();
    if (!wrong.empty()) finding.wrong.push_back(fmt::format("{}: {}", check.name, wrong));
  }
  return finding;
}

/// The same work twice must give the same bits.
Finding examine_repeatability(const nn::Engine& engine) {
  Finding finding{.what = "same bits twice", .checked = 1};
  kernels::Device& device = engine.device();
  const std::size_t n = 1 << 20;
  kernels::Buffer<float> x(device, n);
  kernels::Buffer<kernels::NormRecord> record(device, 1);
  kernels::Scratch scratch(device, kernels::norm_scratch_bytes(n));
  kernels::fill(device, x, 0.1f);
  float first = 0.0f;
  for (int run = 0; run < 2; ++run) {
    kernels::squared_norm(device, scratch, x, record);
    const float sum = to_host(device, record).front().squares;
    if (run == 0) first = sum;
    if (run == 1 && first != sum)
      finding.wrong.push_back(fmt::format("squared norm {} then {}", first, sum));
  }
  return finding;
}

int report(const CommonOptions& options,
           const kernels::DeviceInfo& device,
           const std::vector<Finding>& findings,
           double seconds) {
  bool healthy = true;
  auto checks = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    healthy = healthy && finding.wrong.empty();
    checks.push_back(
        {{"what", finding.what}, {"checked", finding.checked}, {"wrong", finding.wrong}});
    if (options.json) continue;
    print_line(
        fmt::format("{:<16} {:>4} checked  {}", finding.what, finding.checked,
                    finding.wrong.empty() ? "ok" : fmt::format("{} WRONG", finding.wrong.size())));
    for (const std::string& wrong : finding.wrong) print_line("    " + wrong);
  }
  if (options.json) {
    print_json({{"device", device.selector},
                {"healthy", healthy},
                {"checks", checks},
                {"seconds", seconds}});
  } else {
    print_line(fmt::format("{} in {:.1f} s",
                           healthy ? "all well" : "this device or its driver computes wrongly",
                           seconds));
    if (!healthy)
      print_line(
          "Update the driver, or choose another device with --device (`opencd_sycl devices` lists "
          "them).");
  }
  return healthy ? 0 : 1;
}

int run(const CommonOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto opened = open_device(options);
  kernels::Device& device = *opened;
  const nn::Engine engine(device);
  const std::vector<Finding> findings = {examine_kernels(device), examine_gemm(engine),
                                         examine_augmentation(device), examine_network(engine),
                                         examine_repeatability(engine)};
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return report(options, device.info(), findings, passed.count());
}

}  // namespace

void add_doctor_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App* verb =
      app.add_subcommand("doctor", "Test a device in seconds: does it compute rightly?");
  define_verb(*verb, *options, action, [options] { return run(*options); });
  verb->footer("Example: opencd_sycl doctor --device gpu");
}

}  // namespace opencd::cli
