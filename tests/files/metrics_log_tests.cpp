#include "files/metrics_log.hpp"

#include "error.hpp"
#include "support/corruption.hpp"
#include "support/file_content.hpp"
#include "support/message.hpp"
#include "support/system_faults.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <cmath>
#include <limits>
#include <map>

namespace opencd::test {

using namespace files;

namespace {
namespace fs = std::filesystem;

fs::path event_file(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().native().starts_with("events.out.tfevents.")) return entry.path();
  return {};
}

MetricsOptions options(std::int64_t resume_step = -1) {
  return {.columns = {"train/loss", "train/lr", "val/all"},
          .resume_step = resume_step,
          .clock = [] { return 1700000000.25; }};
}

MetricsRecord record(std::int64_t step) {
  MetricsRecord made{step, step / 3, {{"train/loss", 1.0 / static_cast<double>(step)}}};
  if (step % 3 == 0) made.values.emplace_back("val/all", 0.25f * static_cast<float>(step));
  return made;
}

/// The three files by their content.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  return {{"jsonl", content(folder / "metrics.jsonl")},
          {"csv", content(folder / "metrics.csv")},
          {"events", content(event_file(folder))}};
}

void write_steps(const fs::path& folder, std::int64_t resume_step, std::int64_t last) {
  MetricsLog log(folder, options(resume_step));
  for (std::int64_t step = std::max<std::int64_t>(resume_step, 0) + 1; step <= last; ++step)
    log.add(record(step));
  log.sync();
}
}  // namespace

TEST_SUITE_BEGIN("files/metrics_log");

TEST_CASE("a record is a line of JSON, a line of CSV and an event") {
  const TemporaryFolder folder;
  MetricsLog log(folder.path(), options());
  log.add({1, 0, {{"val/all", 0.5}, {"train/loss", 0.1f}}});
  log.add({2, 0, {}});
  log.add({3, 1, {{"train/lr", 1e-5}, {"train/loss", 1.0 / 3.0}}});
  CHECK_EQ(content(folder / "metrics.jsonl"),
           "{\"step\":1,\"epoch\":0,\"val/all\":0.5,\"train/loss\":0.1}\n"
           "{\"step\":2,\"epoch\":0}\n"
           "{\"step\":3,\"epoch\":1,\"train/lr\":1e-05,\"train/loss\":0.3333333333333333}\n");
  CHECK_EQ(content(folder / "metrics.csv"),
           "step,epoch,train/loss,train/lr,val/all\n1,0,0.1,,0.5\n2,0,,,\n"
           "3,1,0.3333333333333333,1e-05,\n");
  CHECK_EQ(folder.entries(), 3);
}

TEST_CASE("numbers that are not finite are null in JSON and named in CSV") {
  const TemporaryFolder folder;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  MetricsLog log(folder.path(), options());
  log.add({1, 0, {{"train/loss", std::nan("")}, {"train/lr", kInfinity}, {"val/all", -kInfinity}}});
  CHECK_EQ(content(folder / "metrics.jsonl"),
           "{\"step\":1,\"epoch\":0,\"train/loss\":null,\"train/lr\":null,\"val/all\":null}\n");
  CHECK_EQ(content(folder / "metrics.csv"),
           "step,epoch,train/loss,train/lr,val/all\n1,0,nan,inf,-inf\n");
}

TEST_CASE("names that are no columns or no plain names are refused, and nothing is written") {
  const TemporaryFolder folder;
  MetricsLog log(folder.path(), options());
  const auto before = files_of(folder.path());
  CHECK_CONTAINS(message_of<ShapeError>([&] { log.add({1, 0, {{"train/los", 1.0}}}); }),
                 "\"train/los\" was not declared");
  CHECK_EQ(files_of(folder.path()), before);
  for (const char* name : {"", "a,b", "a\"b", "a\nb"})
    CHECK_THROWS_AS(MetricsLog(folder.path(), {.columns = {name}}), ShapeError);
}

TEST_CASE("stopped anywhere and resumed from any step before, the files are those of one run") {
  const TemporaryFolder whole;
  write_steps(whole.path(), -1, 12);
  for (const std::int64_t stop : {1, 7, 12})
    for (std::int64_t resume = -1; resume <= stop; ++resume) {
      CAPTURE(stop);
      CAPTURE(resume);
      const TemporaryFolder folder;
      write_steps(folder.path(), -1, stop);
      write_steps(folder.path(), resume, 12);
      CHECK_EQ(files_of(folder.path()), files_of(whole.path()));
      CHECK_EQ(folder.entries(), 3);
    }
}

TEST_CASE("cut at any byte by a crash, the files go on from the last whole record") {
  const TemporaryFolder whole;
  write_steps(whole.path(), -1, 4);
  const auto expected = files_of(whole.path());
  const std::map<std::string, fs::path> paths = {{"jsonl", "metrics.jsonl"},
                                                 {"csv", "metrics.csv"},
                                                 {"events", event_file(whole.path()).filename()}};
  for (const auto& [kind, name] : paths) {
    const std::string& bytes = expected.at(kind);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CAPTURE(kind);
      CAPTURE(size);
      const TemporaryFolder folder;
      folder.put(name.string(), bytes.substr(0, size));
      MetricsLog(folder.path(), options(2)).add(record(99));
      MetricsLog(folder.path(), options(2));  // takes the 99th away again
      const std::string kept = files_of(folder.path()).at(kind);
      CHECK_EQ(bytes.substr(0, kept.size()), kept);
      folder.put(name.string(), bytes.substr(0, size) + std::string(size % 40, '\0'));
      MetricsLog(folder.path(), options(2));
      CHECK_EQ(files_of(folder.path()).at(kind), kept);
    }
  }
}

TEST_CASE("a table with other columns is left alone") {
  const TemporaryFolder folder;
  folder.put("metrics.csv", "step,epoch,other\n1,0,5\n");
  const auto message = message_of<FormatError>([&] { MetricsLog(folder.path(), options()); });
  CHECK_CONTAINS(message, "metrics.csv\" has the columns \"step,epoch,other\"");
  CHECK_EQ(content(folder / "metrics.csv"), "step,epoch,other\n1,0,5\n");
}

TEST_CASE("a disk that fails is named, and what it left is cut at the next start") {
  for (int nth = 1; nth <= 3; ++nth) {
    CAPTURE(nth);
    const TemporaryFolder folder;
    write_steps(folder.path(), -1, 2);
    const auto before = files_of(folder.path());
    {
      MetricsLog log(folder.path(), options(2));
      const Faults faults(nth, ENOSPC, 5);  // some five bytes get through before
      const auto message = message_of<FormatError>([&] { log.add(record(3)); });
      CHECK_CONTAINS(message, "cannot write to ");
      CHECK_CONTAINS(message, "No space left on device; free some space");
    }
    MetricsLog(folder.path(), options(2));
    CHECK_EQ(files_of(folder.path()), before);
  }
}

TEST_CASE("of the records up to a step, as many stay as were counted") {
  const TemporaryFolder folder;
  const auto at_ten = [](double value) { return MetricsRecord{10, 1, {{"val/all", value}}}; };
  {
    MetricsLog log(folder.path(), options());
    log.add({9, 0, {{"train/loss", 1.0}}});
    log.add(at_ten(0.25));
    CHECK_EQ(log.records(), 2);
  }
  const auto counted = files_of(folder.path());
  MetricsOptions resumed = options(10);
  for (const std::int64_t records : {2, 1, 0}) {
    CAPTURE(records);
    MetricsLog(folder.path(), options(10)).add(at_ten(0.75));  // what a death left behind
    resumed.resume_records = records;
    MetricsLog log(folder.path(), resumed);
    CHECK_EQ(log.records(), records);
    if (records == 2) CHECK_EQ(files_of(folder.path()), counted);
    CHECK_EQ(count_of(content(folder / "metrics.jsonl"), "\n"), records);
    CHECK_EQ(count_of(content(folder / "metrics.csv"), "\n"), records + 1);  // and the header
    if (records == 1) log.add(at_ten(0.25));
    if (records == 1) CHECK_EQ(files_of(folder.path()), counted);
  }
}

TEST_CASE("damaged anywhere, the files go on after whole records or are refused by name") {
  const TemporaryFolder whole;
  write_steps(whole.path(), -1, 3);
  const auto expected = files_of(whole.path());
  const std::map<std::string, fs::path> paths = {{"jsonl", "metrics.jsonl"},
                                                 {"csv", "metrics.csv"},
                                                 {"events", event_file(whole.path()).filename()}};
  std::size_t refused = 0;
  for (const auto& [kind, name] : paths)
    for (const std::string& bytes : corruptions(expected.at(kind))) {
      CAPTURE(kind);
      CAPTURE(bytes);
      const TemporaryFolder folder;
      folder.put(name.string(), bytes);
      try {
        MetricsLog(folder.path(), options(2)).add(record(3));
      } catch (const FormatError& error) {
        CHECK_CONTAINS(error.what(), "metrics.csv\" has the columns");
        CHECK_EQ(content(folder / name.string()), bytes);  // somebody else's, perhaps
        ++refused;
        continue;
      }
      // What stayed of it is its front; the new record, the end of what an unbroken file has, follows.
      const std::string left = files_of(folder.path()).at(kind);
      MetricsLog(folder.path(), options(2));
      const std::string kept = files_of(folder.path()).at(kind);
      CHECK_EQ(left.substr(0, kept.size()), kept);
      const bool begins_anew = kind != "jsonl" && bytes.substr(0, kept.size()) != kept;
      if (begins_anew)
        CHECK_EQ(expected.at(kind).substr(0, kept.size()), kept);
      else
        CHECK_EQ(bytes.substr(0, kept.size()), kept);
    }
  CHECK_GT(refused, 0);
}

TEST_SUITE_END();

}  // namespace opencd::test
