// Segments as private torrents of one file (BEP 52), which everybody builds from root and length.
#pragma once
#include <cstdint>
#include <libtorrent/session.hpp>
#include <map>
#include <set>
#include <string>

namespace mesh {

class Segments {
 public:
  explicit Segments(lt::session& session) : session_(session) {}

  // Serves a file that is named after its root in `folder`. Throws std::exception.
  void seed(std::string const& root, long long length, int piece, std::string const& folder);

  // Fetches a file into `folder`. Throws std::exception.
  void fetch(std::string const& root, long long length, int piece, std::string const& folder);

  // Connects to a device that has it.
  void from(std::string const& root, std::string const& host, int port);

  void drop(std::string const& root);

  // Reports how much has arrived of each segment that is fetched, if it has changed.
  void tell_progress();

  // Reports what has happened.
  void handle(lt::alert const* alert);

 private:
  lt::add_torrent_params params(std::string const& root, long long length, int piece) const;
  void add(std::string const& root, lt::add_torrent_params params);
  std::string root(lt::torrent_handle const& handle) const;

  lt::session& session_;
  std::map<std::string, lt::torrent_handle> handles_;
  // The segments that have not arrived yet.
  std::set<std::string> fetched_;
  // The bytes that were reported of them.
  std::map<std::string, std::int64_t> done_;
};

}  // namespace mesh
