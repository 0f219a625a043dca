// The verbs of the program. Each function adds one verb to the command line; when the user asks for
// it, the verb sets `action` to what is then to be done.
#pragma once

#include "cli/options.hpp"

namespace opencd::cli {

void add_devices_command(CLI::App& app, Action& action);
void add_doctor_command(CLI::App& app, Action& action);
/// A verb below `data`.
void add_data_show_command(CLI::App& data, Action& action);
void add_pretrain_command(CLI::App& app, Action& action);
void add_train_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_evaluate_command(CLI::App& app, Action& action);
void add_discover_command(CLI::App& app, Action& action);
void add_predict_command(CLI::App& app, Action& action);
void add_name_command(CLI::App& app, Action& action);
void add_export_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_bench_command(CLI::App& app, Action& action);
void add_data_command(CLI::App& app, Action& action);
void add_config_command(CLI::App& app, Action& action);

}  // namespace opencd::cli
