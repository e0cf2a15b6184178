internal import EmulatorWire
internal import SettingsRegistry

/// The owner of the account, and the namespace that its paths start from.
struct Identity {
  static let accountID = "dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc"
  private static let home = "3235641"

  var root = Identity.home

  var account: JSON {
    [
      "account_id": .string(Self.accountID),
      "name": [
        "given_name": "Ada", "surname": "Test", "familiar_name": "Ada", "display_name": "Ada Test",
        "abbreviated_name": "AT",
      ],
      "email": "ada@example.org", "email_verified": true, "disabled": false, "locale": "en",
      "referral_link": "https://db.tt/x", "is_paired": false, "account_type": [".tag": "basic"], "root_info": rootInfo,
    ]
  }

  private var rootInfo: JSON {
    let isTeam = root != Self.home
    var info: JSON = [
      ".tag": isTeam ? "team" : "user", "root_namespace_id": .string(root), "home_namespace_id": .string(Self.home),
    ]
    if isTeam { info["home_path"] = "/Ada Test" }
    return info
  }

  /// The refusal of a call with this root for its paths; nil if the root is valid.
  func refusal(ofPathRoot header: String?) throws(BadInput) -> Reply? {
    guard let header else { return nil }
    let call = Call(method: "", path: "", headers: ["dropbox-api-arg": header])
    let wish: [String: String] = try call.headerArgument()
    switch wish[".tag"] {
    case "home": return nil
    case "root" where wish["root"] == root: return nil
    case "root":
      return APIError(
        summary: "invalid_root/", [".tag": "invalid_root", "invalid_root": rootInfo], status: 422
      ).reply
    case "namespace_id" where wish["namespace_id"] == root || wish["namespace_id"] == Self.home: return nil
    default: return APIError(summary: "no_permission/", [".tag": "no_permission"], status: 422).reply
    }
  }
}
