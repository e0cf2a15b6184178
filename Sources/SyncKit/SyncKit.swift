@_exported public import SettingsRegistry
