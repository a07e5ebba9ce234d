/// nearend's own version (semver). [any]
public let nearendVersion = "0.1.0"
