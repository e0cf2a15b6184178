public import SettingsRegistry
import SyncKit

/// The limits of the transfers in both directions: `{ up = "1M", down = "5M" }`, or one rate for each of them.
public struct Bandwidth: SettingValue, Hashable {
  /// The rate to remotes; nil for no limit.
  public var up: TransferRate?
  /// The rate from remotes; nil for no limit.
  public var down: TransferRate?

  public static var form: SettingForm {
    let rate = TransferRate.form.schema
    return SettingForm(
      "a table such as { up = \"1M\", down = \"5M\" }, or \(TransferRate.form.name)",
      schema: [
        "anyOf": [
          rate, ["type": "object", "properties": ["up": rate, "down": rate], "additionalProperties": false],
        ]
      ])
  }

  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    switch node.value {
    case .string:
      let rate = try TransferRate(node, in: environment)
      (up, down) = (rate, rate)
    case .table(let table):
      for entry in table.entries {
        switch entry.key.text {
        case "up": up = try TransferRate(entry.node, in: environment)
        case "down": down = try TransferRate(entry.node, in: environment)
        default:
          throw SettingsError(
            "unknown direction \"\(entry.key.text)\": `bandwidth` has `up` and `down`", at: entry.key.location,
            suggestion: ["down", "up"].nearest(to: entry.key.text))
        }
      }
    default: throw .expected(Self.form, at: node)
    }
  }

  public var written: TOMLValue? {
    if let up, up == down { return .string(up.text) }
    let nowhere = TextLocation(file: "")
    var table = TOMLTable()
    for (key, rate) in [("up", up), ("down", down)] {
      if let rate { table.append(TOMLKey(key, at: nowhere), TOMLNode(.string(rate.text), at: nowhere)) }
    }
    return .table(table)
  }
}

extension TrafficLimit {
  /// Creates the limits of one setting, with throttles of its own.
  init(_ bandwidth: Bandwidth?) {
    let throttles = { (rate: TransferRate?) -> [Throttle] in
      rate.map { rate in [Throttle { rate.rate(atMinuteOfWeek: LocalClock($0).minuteOfWeek) }] } ?? []
    }
    self.init(up: throttles(bandwidth?.up), down: throttles(bandwidth?.down))
  }

  /// Returns the limits of both: each throttle applies.
  func with(_ other: TrafficLimit) -> TrafficLimit {
    TrafficLimit(up: up + other.up, down: down + other.down)
  }
}
