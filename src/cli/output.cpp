#include "cli/output.hpp"

#include "error.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace opencd::cli {

namespace {

bool looks_like_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.,+-%x eE") == std::string::npos;
}

}  // namespace

void start_logging(const std::string& level, bool quiet) {
  const bool colour = isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
      colour ? spdlog::color_mode::automatic : spdlog::color_mode::never);
  auto logger = std::make_shared<spdlog::logger>("opencd_sycl", sink);
  logger->set_pattern("%H:%M:%S %^%l%$ %v");
  const auto wanted = spdlog::level::from_str(level);
  sink->set_level(quiet ? spdlog::level::err : wanted);
  logger->set_level(std::min(wanted, spdlog::level::info));  // for a file that may follow
  spdlog::set_default_logger(logger);
}

void log_to_file(const std::filesystem::path& file) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
    sink->set_pattern("%Y-%m-%d %H:%M:%S %l %v");
    auto& sinks = spdlog::default_logger()->sinks();
    sinks.resize(1);  // stderr stays
    sinks.push_back(sink);
    spdlog::flush_on(spdlog::level::info);
  } catch (const spdlog::spdlog_ex& error) {
    fail<FormatError>("[log] {}", error.what());
  }
}

std::string printable(const std::string& text) {
  std::string clean = text;
  for (char& c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7f) c = '?';
  }
  return clean;
}

void print_line(const std::string& text) { fmt::print("{}\n", text); }

void print_json(const nlohmann::ordered_json& object) {
  // Text from drivers and file names need not be UTF-8; JSON must be.
  print_line(object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(header.size());
  for (std::size_t c = 0; c < header.size(); ++c) {
    widths[c] = header[c].size();
    for (const auto& row : rows) widths[c] = std::max(widths[c], row[c].size());
  }
  const auto print_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const bool number = !rows.empty() && looks_like_number(rows.front()[c]);
      line += number ? fmt::format("{:>{}}", cells[c], widths[c])
                     : fmt::format("{:<{}}", cells[c], widths[c]);
      if (c + 1 < cells.size()) line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    print_line(line);
  };
  print_row(header);
  for (const auto& row : rows) print_row(row);
}

}  // namespace opencd::cli
