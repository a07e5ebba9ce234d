import Glibc

/// Whether a name is one of a pattern with `*`, `?` and `[…]`, as a shell reads them.
func matches(_ name: String, pattern: String) -> Bool { fnmatch(pattern, name, 0) == 0 }
