// Carries out the lines of the parent.
#pragma once
#include <atomic>
#include <cstdint>
#include <libtorrent/span.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "links.hpp"
#include "segments.hpp"

namespace mesh {

class Commands {
 public:
  Commands();
  ~Commands();

  // Returns false if the process is to end.
  bool run(std::string const& line);

  void end();

 private:
  void carry_out(std::vector<std::string> const& line);
  void open(std::string const& interfaces, bool local_discovery);
  void join(std::vector<std::string> const& line);
  void watch();
  void tell_traffic(lt::span<std::int64_t const> counters);

  std::unique_ptr<lt::session> session_;
  std::unique_ptr<Segments> segments_;
  std::shared_ptr<Links> links_ = std::make_shared<Links>();
  lt::torrent_handle swarm_;
  // The segments are used by the commands and by the alerts.
  std::mutex mutex_;
  std::atomic<bool> ends_{false};
  std::thread watcher_;
  // The last line of it.
  std::string traffic_;
};

}  // namespace mesh
