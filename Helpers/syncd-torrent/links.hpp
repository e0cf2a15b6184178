// The connections to other devices: each carries messages of the extension `sy_mesh` (BEP 10).
#pragma once
#include <libtorrent/extensions.hpp>
#include <libtorrent/peer_connection_handle.hpp>
#include <libtorrent/torrent_handle.hpp>
#include <map>
#include <memory>
#include <string>

namespace mesh {

// The largest message, in bytes.
constexpr int message_limit = 65535;

class Link;

// All links of the swarm. Everything except `send` and `close` runs on libtorrent's network thread.
class Links : public lt::torrent_plugin, public std::enable_shared_from_this<Links> {
 public:
  std::shared_ptr<lt::peer_plugin> new_connection(lt::peer_connection_handle const& peer) override;

  // Gives a link a number, and takes it away.
  int opened(Link* link);
  void closed(int number, std::string const& reason);

  // Sends a message on one link, or on all if the number is 0. May be called on any thread.
  static void send(lt::torrent_handle const& swarm, std::shared_ptr<Links> const& links, int number, std::string message);

  // Closes a link. May be called on any thread.
  static void close(lt::torrent_handle const& swarm, std::shared_ptr<Links> const& links, int number);

 private:
  std::map<int, Link*> links_;
  int last_ = 0;
};

}  // namespace mesh
