#include "segments.hpp"

#include <libtorrent/alert_types.hpp>
#include <libtorrent/create_torrent.hpp>
#include <libtorrent/file_storage.hpp>
#include <libtorrent/torrent_flags.hpp>
#include <libtorrent/torrent_info.hpp>

#include "lines.hpp"

namespace mesh {

static std::string info_dictionary(std::string const& root, long long length, int piece) {
  auto const raw = bytes(root);
  if (!raw || raw->size() != 32) throw std::invalid_argument("the root is not 64 hexadecimal digits");
  return "d4:infod9:file treed64:" + root + "d0:d6:lengthi" + std::to_string(length) + "e11:pieces root32:" + *raw +
         "eee12:meta versioni2e4:name64:" + root + "12:piece lengthi" + std::to_string(piece) + "e7:privatei1eee";
}

lt::add_torrent_params Segments::params(std::string const& root, long long length, int piece) const {
  lt::add_torrent_params params;
  std::string const text = info_dictionary(root, length, piece);
  params.ti = std::make_shared<lt::torrent_info>(lt::span<char const>(text.data(), static_cast<long>(text.size())), lt::from_span);
  params.flags = lt::torrent_flags::disable_dht | lt::torrent_flags::disable_lsd | lt::torrent_flags::disable_pex;
  return params;
}

void Segments::add(std::string const& root, lt::add_torrent_params params) {
  if (handles_.count(root)) return;
  handles_[root] = session_.add_torrent(std::move(params));
}

void Segments::seed(std::string const& root, long long length, int piece, std::string const& folder) {
  lt::file_storage files;
  files.add_file(root, length);
  lt::create_torrent made(files, piece, lt::create_torrent::v2_only);
  made.set_priv(true);
  lt::set_piece_hashes(made, folder);
  std::vector<char> text;
  lt::bencode(std::back_inserter(text), made.generate());
  lt::add_torrent_params params;
  params.ti = std::make_shared<lt::torrent_info>(lt::span<char const>(text), lt::from_span);
  if (params.ti->info_hashes() != this->params(root, length, piece).ti->info_hashes()) {
    throw std::runtime_error("the file has another root");
  }
  params.save_path = folder;
  params.flags = lt::torrent_flags::seed_mode | lt::torrent_flags::disable_dht | lt::torrent_flags::disable_lsd |
                 lt::torrent_flags::disable_pex;
  add(root, std::move(params));
  say("seeding " + root);
}

void Segments::fetch(std::string const& root, long long length, int piece, std::string const& folder) {
  lt::add_torrent_params added = params(root, length, piece);
  added.save_path = folder;
  // What is served need not be fetched; it is dropped first.
  if (!handles_.count(root)) fetched_.insert(root);
  add(root, std::move(added));
}

void Segments::from(std::string const& root, std::string const& host, int port) {
  auto const found = handles_.find(root);
  if (found == handles_.end()) throw std::invalid_argument("no such segment");
  found->second.connect_peer(lt::tcp::endpoint(lt::make_address(host), static_cast<std::uint16_t>(port)));
}

void Segments::drop(std::string const& root) {
  auto const found = handles_.find(root);
  if (found == handles_.end()) return;
  session_.remove_torrent(found->second);
  handles_.erase(found);
  fetched_.erase(root);
  done_.erase(root);
}

void Segments::tell_progress() {
  for (std::string const& root : fetched_) {
    auto const found = handles_.find(root);
    if (found == handles_.end()) continue;
    std::int64_t const done = found->second.status({}).total_done;
    if (done == done_[root]) continue;
    done_[root] = done;
    say("progress " + root + " " + std::to_string(done));
  }
}

std::string Segments::root(lt::torrent_handle const& handle) const {
  for (auto const& [root, own] : handles_) {
    if (own == handle) return root;
  }
  return {};
}

void Segments::handle(lt::alert const* alert) {
  if (auto const* finished = lt::alert_cast<lt::torrent_finished_alert>(alert)) {
    std::string const name = root(finished->handle);
    // What is served from the start is finished, too.
    if (fetched_.count(name)) finished->handle.flush_cache();
  } else if (auto const* flushed = lt::alert_cast<lt::cache_flushed_alert>(alert)) {
    std::string const name = root(flushed->handle);
    if (fetched_.count(name) && flushed->handle.status().is_seeding) {
      fetched_.erase(name);
      done_.erase(name);
      say("complete " + name);
    }
  } else if (auto const* error = lt::alert_cast<lt::torrent_error_alert>(alert)) {
    std::string const name = root(error->handle);
    if (!name.empty()) say("error " + name + " " + word(error->error.message()));
  } else if (auto const* error = lt::alert_cast<lt::file_error_alert>(alert)) {
    std::string const name = root(error->handle);
    if (!name.empty()) say("error " + name + " " + word(error->error.message()));
  }
}

}  // namespace mesh
