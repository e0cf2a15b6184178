#include "commands.hpp"

#include <netdb.h>

#include <libtorrent/alert_types.hpp>
#include <libtorrent/io_context.hpp>
#include <libtorrent/ip_filter.hpp>
#include <libtorrent/posix_disk_io.hpp>
#include <libtorrent/session_params.hpp>
#include <libtorrent/session_stats.hpp>
#include <libtorrent/settings_pack.hpp>
#include <libtorrent/socket.hpp>
#include <chrono>
#include <cstring>
#include <regex>
#include <thread>

#include "lines.hpp"

namespace mesh {

// The settings, each with its reason: only one's own devices, only encrypted connections, and no trace of the program.
static lt::settings_pack settings(std::string const& interfaces, bool local_discovery) {
  using pack = lt::settings_pack;
  pack all;
  all.set_str(pack::listen_interfaces, interfaces);
  all.set_int(pack::max_retry_port_bind, 0);
  all.set_bool(pack::enable_lsd, local_discovery);
  // Nobody else is to learn of the swarm, and no router is to be opened.
  for (int const name : {pack::enable_dht, pack::enable_upnp, pack::enable_natpmp}) all.set_bool(name, false);
  // uTP is many times slower on fast networks.
  for (int const name : {pack::enable_outgoing_utp, pack::enable_incoming_utp}) all.set_bool(name, false);
  all.set_int(pack::in_enc_policy, pack::pe_forced);
  all.set_int(pack::out_enc_policy, pack::pe_forced);
  all.set_int(pack::allowed_enc_level, pack::pe_rc4);
  all.set_str(pack::peer_fingerprint, "-------");
  all.set_str(pack::user_agent, "");
  all.set_int(pack::max_metadata_size, 0);
  // Several devices may have one address, and a first connection that fails must not delay the next by a minute.
  all.set_bool(pack::allow_multiple_connections_per_ip, true);
  all.set_int(pack::min_reconnect_time, 1);
  all.set_bool(pack::smooth_connects, false);
  all.set_int(pack::connection_speed, 200);
  // Who serves a segment would otherwise connect again and again, every second, to all who once fetched it.
  all.set_bool(pack::seeding_outgoing_connections, false);
  // A small segment must not wait for a slot that is given out at intervals.
  all.set_int(pack::unchoke_slots_limit, -1);
  all.set_int(pack::alert_mask, lt::alert_category::error | lt::alert_category::status | lt::alert_category::storage);
  return all;
}

// All peers are of the class that the limits apply to. By default those in the local network are not.
static lt::ip_filter peer_classes() {
  auto const global = 1U << static_cast<std::uint32_t>(lt::session::global_peer_class_id);
  lt::ip_filter filter;
  filter.add_rule(lt::make_address("0.0.0.0"), lt::make_address("255.255.255.255"), global);
  filter.add_rule(lt::make_address("::"), lt::make_address("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), global);
  return filter;
}

// The highest rate in bytes per second; libtorrent counts in int.
constexpr long long rate_limit = 1 << 30;

Commands::Commands() = default;
Commands::~Commands() = default;

bool Commands::run(std::string const& line) {
  std::vector<std::string> const parts = words(line);
  if (parts.empty()) return true;
  if (parts[0] == "quit") return false;
  try {
    std::lock_guard<std::mutex> lock(mutex_);
    carry_out(parts);
  } catch (std::exception const& error) {
    say("failed " + word(parts[0]) + " " + word(error.what()));
  }
  return true;
}

static long long number_of(std::vector<std::string> const& line, std::size_t index, long long limit) {
  auto const value = index < line.size() ? number(line[index], limit) : std::nullopt;
  if (!value) throw std::invalid_argument("a number is missing or too large");
  return *value;
}

static void require(std::vector<std::string> const& line, std::size_t count) {
  if (line.size() < count) throw std::invalid_argument("words are missing");
}

// Connects to all addresses of a host. A name is looked up beside the commands, because that may take half a minute, and each time
// again, because its address may have changed.
static void connect(lt::torrent_handle swarm, std::string const& host, std::string const& port) {
  std::thread([swarm, host, port] {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (int const status = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); status != 0) {
      return say("failed find " + word(host) + ":-" + word(::gai_strerror(status)));
    }
    for (addrinfo const* address = found; address != nullptr; address = address->ai_next) {
      lt::tcp::endpoint endpoint;
      endpoint.resize(address->ai_addrlen);
      std::memcpy(endpoint.data(), address->ai_addr, address->ai_addrlen);
      // The session may end meanwhile.
      try {
        swarm.connect_peer(endpoint);
      } catch (std::exception const&) {
      }
    }
    ::freeaddrinfo(found);
  }).detach();
}

void Commands::carry_out(std::vector<std::string> const& line) {
  std::string const& verb = line[0];
  if (verb == "open") {
    require(line, 3);
    return open(line[1], line[2] == "lan");
  }
  if (!session_) throw std::invalid_argument("open comes first");
  if (verb == "swarm") return join(line);
  if (verb == "rate") {
    lt::settings_pack pack;
    pack.set_int(lt::settings_pack::upload_rate_limit, static_cast<int>(number_of(line, 1, rate_limit)));
    pack.set_int(lt::settings_pack::download_rate_limit, static_cast<int>(number_of(line, 2, rate_limit)));
    return session_->apply_settings(pack);
  }
  if (verb == "seed" || verb == "fetch") {
    require(line, 5);
    auto const length = number_of(line, 2, 1LL << 42);
    auto const piece = static_cast<int>(number_of(line, 3, 1 << 23));
    auto const folder = bytes(line[4]);
    if (!folder) throw std::invalid_argument("the folder is not hexadecimal");
    return verb == "seed" ? segments_->seed(line[1], length, piece, *folder) : segments_->fetch(line[1], length, piece, *folder);
  }
  if (verb == "from") {
    require(line, 4);
    return segments_->from(line[1], line[2], static_cast<int>(number_of(line, 3, 65535)));
  }
  if (verb == "drop") {
    require(line, 2);
    return segments_->drop(line[1]);
  }
  if (!swarm_.is_valid()) throw std::invalid_argument("swarm comes first");
  if (verb == "peer") {
    require(line, 3);
    return connect(swarm_, line[1], std::to_string(number_of(line, 2, 65535)));
  }
  if (verb == "send") {
    require(line, 3);
    auto message = bytes(line[2]);
    if (!message || message->size() > message_limit) throw std::invalid_argument("the message is not hexadecimal, or too long");
    return Links::send(swarm_, links_, static_cast<int>(number_of(line, 1, 1 << 30)), std::move(*message));
  }
  if (verb == "close") return Links::close(swarm_, links_, static_cast<int>(number_of(line, 1, 1 << 30)));
  throw std::invalid_argument("no such command");
}

// Listens for a moment at a port of all addresses of the machine. Returns the port, or 0 if another program listens there.
static int try_port(int port) {
  lt::io_context context;
  lt::error_code error;
  lt::tcp::acceptor acceptor(context);
  acceptor.open(lt::tcp::v4(), error);
  acceptor.set_option(lt::tcp::acceptor::reuse_address(true), error);
  acceptor.bind(lt::tcp::endpoint(lt::tcp::v4(), static_cast<std::uint16_t>(port)), error);
  if (!error) acceptor.listen(1, error);
  return error ? 0 : acceptor.local_endpoint().port();
}

// The interfaces with one port for all, which is free. libtorrent would choose one for each, and tell the local network only one of
// them. A helper that was killed a moment ago may still have the port.
static std::string with_one_port(std::string const& interfaces) {
  static std::regex const port_of(":([0-9]+)(?=,|$)");
  std::smatch found;
  if (!std::regex_search(interfaces, found, port_of)) return interfaces;
  int const wanted = std::stoi(found[1]);
  int port = try_port(wanted);
  for (int attempt = 0; port == 0 && attempt < 30; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    port = try_port(wanted);
  }
  if (port == 0) port = try_port(0);
  return std::regex_replace(interfaces, port_of, ":" + std::to_string(port));
}

void Commands::open(std::string const& interfaces, bool local_discovery) {
  if (session_) throw std::invalid_argument("it is open");
  lt::session_params params(settings(with_one_port(interfaces), local_discovery));
  // Neither metadata nor the addresses of peers are exchanged.
  params.extensions.clear();
  // No mapping that a truncated file could turn into a crash.
  params.disk_io_constructor = lt::posix_disk_io_constructor;
  session_ = std::make_unique<lt::session>(std::move(params));
  session_->set_peer_class_filter(peer_classes());
  segments_ = std::make_unique<Segments>(*session_);
  watcher_ = std::thread([this] { watch(); });
}

void Commands::join(std::vector<std::string> const& line) {
  require(line, 2);
  auto const hash = bytes(line[1]);
  if (!hash || hash->size() != 20) throw std::invalid_argument("the swarm is not 40 hexadecimal digits");
  if (swarm_.is_valid()) throw std::invalid_argument("there is a swarm");
  lt::add_torrent_params params;
  params.info_hashes = lt::info_hash_t(lt::sha1_hash(hash->data()));
  params.save_path = "/nonexistent";
  for (std::size_t index = 2; index < line.size(); ++index) params.trackers.push_back(line[index]);
  params.flags = lt::torrent_flags::disable_dht | lt::torrent_flags::disable_pex;
  auto const links = links_;
  params.extensions.push_back([links](lt::torrent_handle const&, lt::client_data_t) -> std::shared_ptr<lt::torrent_plugin> { return links; });
  swarm_ = session_->add_torrent(std::move(params));
}

void Commands::watch() {
  auto next = std::chrono::steady_clock::now();
  while (!ends_) {
    session_->wait_for_alert(lt::milliseconds(500));
    std::vector<lt::alert*> alerts;
    session_->pop_alerts(&alerts);
    std::lock_guard<std::mutex> lock(mutex_);
    if (auto const now = std::chrono::steady_clock::now(); now >= next) {
      next = now + std::chrono::seconds(1);
      session_->post_session_stats();
      segments_->tell_progress();
    }
    for (lt::alert const* alert : alerts) {
      if (auto const* listening = lt::alert_cast<lt::listen_succeeded_alert>(alert)) {
        if (listening->socket_type == lt::socket_type_t::tcp) say("listening " + std::to_string(listening->port));
      } else if (auto const* failed = lt::alert_cast<lt::listen_failed_alert>(alert)) {
        say("failed open " + word(failed->error.message()));
      } else if (auto const* statistics = lt::alert_cast<lt::session_stats_alert>(alert)) {
        tell_traffic(statistics->counters());
      } else {
        segments_->handle(alert);
      }
    }
  }
}

void Commands::tell_traffic(lt::span<std::int64_t const> counters) {
  static int const sent = lt::find_metric_idx("net.sent_bytes"), received = lt::find_metric_idx("net.recv_bytes");
  std::string const line = "traffic " + std::to_string(counters[sent]) + " " + std::to_string(counters[received]);
  if (line != traffic_) say(line);
  traffic_ = line;
}

void Commands::end() {
  ends_ = true;
  if (watcher_.joinable()) watcher_.join();
}

}  // namespace mesh
