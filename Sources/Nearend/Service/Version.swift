/// nearend's own version (semver). [any]
package let nearendVersion = "0.2.0"
