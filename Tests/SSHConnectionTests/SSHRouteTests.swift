import SyncKit
import Testing

@testable import SSHConnection

@Suite("The route to a host") struct SSHRouteTests {
  private func route(
    _ transport: SSHSettings.Transport, _ command: [String] = ["ssh"], obstacle: String? = nil
  ) -> SSHRoute {
    var settings = SSHSettings()
    (settings.transport, settings.sshCommand) = (transport, command)
    return SSHRoute(settings, obstacle: obstacle)
  }

  @Test("`auto` uses libssh2, and the ssh program for what libssh2 cannot do")
  func automatic() {
    #expect(route(.auto) == .library(fallsBack: true))
    #expect(route(.auto, obstacle: "it is far") == .program(reason: "it is far"))
    #expect(route(.auto, ["ssh", "-v"]) == .program(reason: "the settings choose it"))
  }

  @Test("the settings can choose the route")
  func named() {
    #expect(route(.libssh2, obstacle: "it is far") == .library(fallsBack: false))
    #expect(route(.sshCommand) == .program(reason: nil))
  }

  @Test("the ssh program never prompts, checks the host key, and sends keep-alives")
  func arguments() throws {
    var settings = SSHSettings()
    settings.identityFile = "/key"
    settings.knownHosts = "/hosts"
    let program = SSHProgram(
      host: try #require(SSHHost("host", user: "ann", port: 2)), settings: settings, variables: [:],
      timeout: .seconds(60))
    #expect(
      program.arguments(for: .command("rsync --server")) == [
        "ssh", "-T", "-oBatchMode=yes", "-oStrictHostKeyChecking=yes", "-oClearAllForwardings=yes",
        "-oConnectTimeout=30", "-oServerAliveInterval=30", "-oIdentitiesOnly=yes", "-i", "/key",
        "-oUserKnownHostsFile=/hosts", "-oGlobalKnownHostsFile=/dev/null", "-p", "2", "--", "ann@host",
        "rsync --server",
      ])
    #expect(program.arguments(for: .subsystem("sftp")).suffix(4) == ["-s", "--", "ann@host", "sftp"])
  }

  @Test(
    "a host that ssh would read as something else is refused", arguments: ["", "-oProxyCommand=x", "a b", "a@b", "a\n"])
  func names(name: String) {
    #expect(SSHHost(name) == nil)
    #expect(SSHHost("host", user: name) == nil)
  }

  @Test("a host has a readable address")
  func address() {
    #expect(SSHHost("host")?.address == "host")
    #expect(SSHHost("::1", user: "ann", port: 22)?.address == "ann@[::1]:22")
    #expect(SSHHost("host", port: 65_536) == nil)
  }
}

@Suite("Error output of ssh") struct SSHRefusalTests {
  @Test(
    "a refused host key and a refused login are recognized",
    arguments: [
      ("Host key verification failed.", SSHRefusal.hostKey),
      ("@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @", .hostKey),
      ("The authenticity of host 'h (::1)' can't be established.", .hostKey),
      ("ann@host: Permission denied (publickey,password).", .account), ("Permission denied (publickey).", .account),
      ("Received disconnect from ::1 port 22:2: Too many authentication failures", .account),
      ("ssh: connect to host here port 22: Connection refused", nil), ("", nil),
    ])
  func kinds(line: String, refusal: SSHRefusal?) { #expect(SSHRefusal(["a banner", line]) == refusal) }

  @Test(
    "file names in the output are not mistaken for errors",
    arguments: [
      "rsync: [sender] opendir \"/org/Permission denied (publickey).\" failed: Permission denied (13)",
      "file has vanished: \"/org/Host key verification failed.\"",
      "Skipping sender remove for changed file: The authenticity of host 'x'",
    ])
  func names(line: String) { #expect(SSHRefusal([line]) == nil) }
}
