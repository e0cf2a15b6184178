import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("When and how fast the program syncs") struct LimitTests {
  /// A system bus of its own, with UPower and NetworkManager as python-dbusmock has them.
  private final class Bus: Sendable {
    let address: String
    private let servers: [ServerProcess]

    init(in sandbox: Sandbox) async throws {
      let bus = try await ServerProcess([
        "dbus-daemon", "--session", "--nofork", "--print-address", "--address=unix:path=\(sandbox.path("bus"))",
      ])
      address = bus.lines[0]
      var servers = [bus]
      for (service, property) in [("UPower", "OnBattery"), ("NetworkManager", "Metered")] {
        let name = "org.freedesktop.\(service)"
        // Debian's module belongs to its own Python.
        let value = property == "Metered" ? "dbus.UInt32(1)" : "dbus.Boolean(True)"
        let script = """
          import dbus, dbusmock, dbus.mainloop.glib
          from gi.repository import GLib
          dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
          bus = dbus.bus.BusConnection("\(address)")
          name = dbus.service.BusName("\(name)", bus)
          mock = dbusmock.DBusMockObject(name, "/org/freedesktop/\(service)", "\(name)", {"\(property)": \(value)})
          print("ready", flush=True)
          GLib.MainLoop().run()
          """
        servers.append(try await ServerProcess(["/usr/bin/python3", "-c", script]))
      }
      self.servers = servers
    }

    func set(_ service: String, _ property: String, _ type: String, _ value: String) throws {
      let name = "org.freedesktop.\(service)"
      try Command([
        "busctl", "--address=\(address)", "set-property", name, "/org/freedesktop/\(service)", name, property, type,
        value,
      ]).succeed()
    }
  }

  @Test("a service waits for mains power and an unmetered network, says so, and syncs on request meanwhile")
  func conditions() async throws {
    let sandbox = try Sandbox(
      remotes: ["home"], settings: "interval = \"200ms\"\nquiet = \"10ms\"\nonly-on = [\"mains\", \"unmetered\"]")
    let bus = try await Bus(in: sandbox)
    let variables = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
    try sandbox.write("* A\n", to: "org/a.org")
    let service = try sandbox.command([], environment: variables).start()
    try sandbox.wait("the notice in the log") {
      service.errors.contains("home is not synced until this machine has mains power")
    }
    let status = try sandbox.syncd("status", environment: variables)
    #expect(
      status.text.contains("does not sync it until this machine has mains power, by `only-on`"), "\(status.story)")
    #expect(sandbox.read("home/a.org") == nil)
    try sandbox.command(["sync"], environment: variables).succeed()
    #expect(sandbox.read("home/a.org") == "* A\n")
    try bus.set("UPower", "OnBattery", "b", "false")
    try sandbox.wait("the next reason") {
      service.errors.contains("home is not synced until the network is not metered")
    }
    let waits = try sandbox.ask(["{\"do\": \"status\"}"])
    #expect("\(waits)".contains("not metered"))
    try sandbox.write("* B\n", to: "org/b.org")
    try bus.set("NetworkManager", "Metered", "u", "4")
    try sandbox.wait("the pass") { sandbox.read("home/b.org") == "* B\n" }
    #expect(try !sandbox.syncd("status", environment: variables).text.contains("does not sync it"))
    service.kill(SIGTERM)
    let outcome = try service.wait()
    #expect(outcome.status == 0, "\(outcome.story)")
  }

  @Test("without a bus, a condition that nothing knows has no effect, and doctor says so")
  func unknown() throws {
    let sandbox = try Sandbox(settings: "only-on = [\"unmetered\"]")
    let variables = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(sandbox.path("no-bus"))"]
    let doctor = try sandbox.syncd("doctor", environment: variables)
    #expect(
      doctor.text.contains("`only-on` has no effect for \"unmetered\": NetworkManager does not answer"),
      "\(doctor.story)")
    #expect(try !sandbox.syncd("status", environment: variables).text.contains("does not sync it"))
  }

  @Test("in quiet hours only a command syncs; a remote can have its own")
  func quietHours() throws {
    let sandbox = try Sandbox(
      remotes: ["home", "away"], settings: "interval = \"200ms\"\nquiet = \"10ms\"\nquiet-hours = [\"00:00-24:00\"]")
    let text = try #require(sandbox.read("s.toml"))
    try sandbox.write(
      text.replacingOccurrences(of: "[remotes.away]", with: "[remotes.away]\nquiet-hours = []"), to: "s.toml")
    try sandbox.write("* A\n", to: "org/a.org")
    let service = try sandbox.command([]).start()
    try sandbox.wait("the other remote") { sandbox.read("away/a.org") == "* A\n" }
    #expect(sandbox.read("home/a.org") == nil)
    #expect(try sandbox.syncd("status").text.contains("home: never in sync yet"))
    #expect(try sandbox.syncd("status").text.contains("until 24:00, the end of `quiet-hours`"))
    service.kill(SIGTERM)
    #expect(try service.wait().status == 0)
    try sandbox.once()
    #expect(sandbox.read("home/a.org") == "* A\n")
  }

  @Test("settings with limits are read, shown as they are, and refused with the reason")
  func settings() throws {
    let sandbox = try Sandbox(settings: "bandwidth = { up = \"1M\", down = \"08:00,512k 18:00,off\" }")
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    let shown = try sandbox.syncd("settings", "show")
    #expect(shown.text.contains("bandwidth = { up = \"1M\", down = \"08:00,512k 18:00,off\" }"), "\(shown.story)")
    for (text, complaint) in [
      ("{ sideways = \"1M\" }", "unknown direction \"sideways\""),
      ("{ up = \"1\" }", "expected a rate of at least 10k"),
      ("5", "expected a table such as { up = \"1M\""),
    ] {
      try sandbox.writeSettings(settings: "bandwidth = \(text)")
      let refused = try sandbox.syncd("settings", "check")
      #expect(
        refused.status != 0 && refused.err.contains(complaint) && refused.err.contains("s.toml:3:"), "\(refused.story)")
    }
  }
}
