#include "support/process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

namespace opencd::test {

namespace {

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> block{};
  for (ssize_t got = 0; (got = read(descriptor, block.data(), block.size())) > 0;)
    text.append(block.data(), static_cast<std::size_t>(got));
  close(descriptor);
  return text;
}

[[noreturn]] void become(const std::string& program,
                         const std::vector<std::string>& arguments,
                         const ProcessOptions& options) {
  std::vector<std::string> variables;
  // The last one tells a program that was built with a sanitizer what to overlook.
  for (const char* kept : {"PATH", "HOME", "LSAN_OPTIONS"})
    if (const char* value = std::getenv(kept)) variables.push_back(std::string(kept) + "=" + value);
  for (const auto& [name, value] : options.environment) variables.push_back(name + "=" + value);
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> envp;
  for (std::string& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);
  if (chdir(options.folder.c_str()) == 0) execve(program.c_str(), argv.data(), envp.data());
  _exit(127);
}

constexpr std::chrono::milliseconds kBetweenLooks{5};
constexpr std::chrono::minutes kLongestWait{4};  // for an event: many times what any test takes

/// Sends a signal to a child that may be gone by then, but whose number nobody else has yet.
class LateSignal {
 public:
  LateSignal(pid_t child, const ProcessOptions& options) {
    if (options.signal == 0) return;
    sender_ = std::thread([this, child, options] {
      const bool came = options.when ? wait_for_event(options.when) : wait(options.after_seconds);
      const std::lock_guard lock(mutex_);
      if (!over_) kill(child, came ? options.signal : SIGKILL);
    });
  }
  ~LateSignal() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    ended_.notify_one();
    if (sender_.joinable()) sender_.join();
  }

 private:
  bool wait(double seconds) {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return over_; });
    return true;
  }
  /// False if the event did not come.
  bool wait_for_event(const std::function<bool()>& event) {
    const auto limit = std::chrono::steady_clock::now() + kLongestWait;
    while (!event()) {
      std::unique_lock lock(mutex_);
      if (ended_.wait_for(lock, kBetweenLooks, [this] { return over_; })) return true;
      if (std::chrono::steady_clock::now() > limit) return false;
    }
    return true;
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread sender_;
};

}  // namespace

ProcessResult run_process(const std::string& program,
                          const std::vector<std::string>& arguments,
                          const ProcessOptions& options) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (pipe(out.data()) != 0 || pipe(err.data()) != 0) throw std::runtime_error("cannot make pipes");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  if (child == 0) {
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    for (const int descriptor : {out[0], out[1], err[0], err[1]}) close(descriptor);
    become(program, arguments, options);
  }
  close(out[1]);
  close(err[1]);
  ProcessResult result;
  std::optional<LateSignal> late(std::in_place, child, options);
  std::thread reader([&] { result.err = read_all(err[0]); });
  result.out = read_all(out[0]);
  reader.join();
  late.reset();
  int status = 0;
  waitpid(child, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (result.exit_code == 127) throw std::runtime_error("cannot run " + program);
  return result;
}

}  // namespace opencd::test
