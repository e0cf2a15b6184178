#include "links.hpp"

#include <libtorrent/bdecode.hpp>
#include <libtorrent/entry.hpp>

#include "lines.hpp"

namespace mesh {

// Our number for messages of the extension, with which the peer sends them. libtorrent uses those up to 8 itself.
constexpr int own_message = 40;
constexpr char const* extension_name = "sy_mesh";

static std::string text(lt::tcp::endpoint const& endpoint) {
  std::string const address = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(endpoint.port());
}

class Link : public lt::peer_plugin {
 public:
  Link(lt::peer_connection_handle peer, std::weak_ptr<Links> links) : peer_(std::move(peer)), links_(std::move(links)) {}

  lt::string_view type() const override { return extension_name; }

  void add_handshake(lt::entry& handshake) override { handshake["m"][extension_name] = own_message; }

  bool on_extension_handshake(lt::bdecode_node const& handshake) override {
    lt::bdecode_node const names = handshake.type() == lt::bdecode_node::dict_t ? handshake.dict_find_dict("m") : lt::bdecode_node();
    auto const number = names ? names.dict_find_int_value(extension_name, 0) : 0;
    if (number <= 0 || number > 255) {
      peer_.disconnect(lt::errors::invalid_extended, lt::operation_t::bittorrent);
      return false;
    }
    their_message_ = static_cast<int>(number);
    auto const links = links_.lock();
    if (!links || number_ != 0) return true;
    number_ = links->opened(this);
    say("link " + std::to_string(number_) + " " + text(peer_.remote()) + (peer_.is_outgoing() ? " out" : " in"));
    return true;
  }

  bool on_extended(int length, int message, lt::span<char const> body) override {
    if (message != own_message) return false;
    if (length > message_limit) {
      peer_.disconnect(lt::errors::packet_too_large, lt::operation_t::bittorrent);
      return true;
    }
    // It is called for parts of a message, too.
    if (static_cast<int>(body.size()) < length) return true;
    if (number_ != 0) say("message " + std::to_string(number_) + " " + hex(std::string(body.data(), static_cast<std::size_t>(body.size()))));
    return true;
  }

  void on_disconnect(lt::error_code const& error) override {
    if (auto const links = links_.lock(); links && number_ != 0) links->closed(number_, error.message());
    number_ = 0;
  }

  void send(std::string const& message) {
    std::string frame;
    auto const length = static_cast<std::uint32_t>(message.size() + 2);
    for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(length >> shift);
    frame += static_cast<char>(20);
    frame += static_cast<char>(their_message_);
    frame += message;
    peer_.send_buffer(frame.data(), static_cast<int>(frame.size()));
  }

  void close() { peer_.disconnect(lt::errors::no_error, lt::operation_t::bittorrent); }

 private:
  lt::peer_connection_handle peer_;
  std::weak_ptr<Links> links_;
  int their_message_ = 0;
  int number_ = 0;
};

std::shared_ptr<lt::peer_plugin> Links::new_connection(lt::peer_connection_handle const& peer) {
  return std::make_shared<Link>(peer, weak_from_this());
}

int Links::opened(Link* link) {
  links_[++last_] = link;
  return last_;
}

void Links::closed(int number, std::string const& reason) {
  links_.erase(number);
  say("unlink " + std::to_string(number) + " " + word(reason));
}

// A function that is added as an extension runs on the network thread.
template <typename Body>
static void post(lt::torrent_handle swarm, Body body) {
  swarm.add_extension([body](lt::torrent_handle const&, lt::client_data_t) {
    body();
    return std::shared_ptr<lt::torrent_plugin>();
  });
}

void Links::send(lt::torrent_handle const& swarm, std::shared_ptr<Links> const& links, int number, std::string message) {
  post(swarm, [links, number, message = std::move(message)] {
    for (auto const& [own, link] : links->links_) {
      if (number == 0 || own == number) link->send(message);
    }
  });
}

void Links::close(lt::torrent_handle const& swarm, std::shared_ptr<Links> const& links, int number) {
  post(swarm, [links, number] {
    // Closing changes the map.
    if (auto const found = links->links_.find(number); found != links->links_.end()) found->second->close();
  });
}

}  // namespace mesh
