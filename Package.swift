// swift-tools-version: 6.0
import Foundation
import PackageDescription

func library(_ name: String, _ pkgConfig: String, apt: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/SystemLibraries/\(name)", pkgConfig: pkgConfig,
    providers: [.apt([apt])])
}

// Debug builds optimize what the audio thread runs, or it cannot keep up, and what makes and measures the tests' sounds. SwiftPM refuses
// such flags of a package that it has checked out for another one by version; one by path may have them. `make lint` builds without them,
// where the realtime annotations are enforced most strictly.
let isCheckedOut = FileManager.default.fileExists(atPath: Context.packageDirectory + "/../../repositories")
let optimizes = !isCheckedOut && Context.environment["NEAREND_OPTIMIZES_AUDIO"] != "0"
let optimizedSwift: [SwiftSetting] = optimizes ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : []
let optimizedC: [CSetting] = optimizes ? [.unsafeFlags(["-O2"], .when(configuration: .debug))] : []

let package = Package(
  name: "nearend",
  products: [
    .library(name: "Nearend", targets: ["Nearend"]),
    .executable(name: "nearend", targets: ["NearendCommand"]),
    .library(name: "SimulatedClock", type: .dynamic, targets: ["SimulatedClock"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.7.0"),
    .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
  ],
  targets: [
    // C libraries
    library("PipeWireLibrary", "libpipewire-0.3", apt: "libpipewire-0.3-dev"),
    library("SampleRateLibrary", "samplerate", apt: "libsamplerate0-dev"),
    library("NCursesLibrary", "ncursesw", apt: "libncurses-dev"),
    library("CURLLibrary", "libcurl", apt: "libcurl4-openssl-dev"),
    library("SoundFileLibrary", "sndfile", apt: "libsndfile1-dev"),
    library("SystemdLibrary", "libsystemd", apt: "libsystemd-dev"),
    library("CairoLibrary", "cairo", apt: "libcairo2-dev"),
    library("ZLibLibrary", "zlib", apt: "zlib1g-dev"),

    // Shims: only what Swift cannot import
    .target(name: "CRealtime"),
    .target(name: "CKernels", dependencies: ["CRealtime"], cSettings: optimizedC),
    .target(name: "CSuppressorWeights", exclude: ["include/suppressor.weights"]),
    .target(name: "CSampleRate", dependencies: ["CRealtime", "SampleRateLibrary"]),
    .target(name: "CAudioProcessing", dependencies: ["CRealtime"]),
    .target(name: "CLadspa", dependencies: ["CRealtime"]),
    .target(name: "CPipeWire", dependencies: ["CRealtime", "PipeWireLibrary"]),
    .target(name: "CNCurses", dependencies: ["NCursesLibrary"]),
    .target(name: "CCurl", dependencies: ["CURLLibrary"]),

    // Threads, files and texts without the half of Foundation that brings ICU
    .target(name: "Platform", swiftSettings: optimizedSwift),

    // Plain values of the voice that the audio thread, the session and programs share
    .target(name: "VoiceFacts", swiftSettings: optimizedSwift),

    // What comes from outside, made harmless
    .target(name: "Border"),

    // Voices over a network: packets, their order and loss, and the sockets
    .target(name: "RTP", dependencies: ["Border"]),

    // The product
    .target(
      name: "RealtimeCore",
      dependencies: [
        "Platform", "VoiceFacts", "CRealtime", "CKernels", "CSuppressorWeights", "CSampleRate", "CAudioProcessing", "CLadspa",
      ],
      exclude: ["FullDuplex/README.md"],
      swiftSettings: optimizedSwift),
    .target(name: "SessionModel", dependencies: ["Border", "Platform", "VoiceFacts"]),
    .target(name: "PipeWireClient", dependencies: ["Border", "CPipeWire", "Platform"]),
    .target(name: "MessageBus", dependencies: ["PipeWireClient", "Platform", "SystemdLibrary"]),
    .target(name: "LoginSession", dependencies: ["MessageBus", "PipeWireClient"]),
    .target(
      name: "PipeWireGraph",
      dependencies: ["Border", "Platform", "PipeWireClient", "LoginSession", "CRealtime", "RealtimeCore", "SessionModel"]),
    .target(
      name: "Nearend",
      dependencies: [
        "Border", "ControlClient", "LoginSession", "Platform", "RTP", "RealtimeCore", "SessionModel", "PipeWireClient", "PipeWireGraph",
        "VoiceFacts",
      ]),
    .target(
      name: "OfflineProcessing",
      dependencies: ["Border", "Nearend", "Platform", "RealtimeCore", "SessionModel", "SoundFileLibrary", "CairoLibrary"]),
    .target(
      name: "Preferences",
      dependencies: [
        "Border", "Platform", "RTP", "SessionModel", "PipeWireGraph", "Nearend", .product(name: "TOMLKit", package: "TOMLKit"),
      ]),
    .target(name: "Doctor", dependencies: ["Border", "Platform", "PipeWireClient", "SessionModel"]),
    .target(name: "ControlClient", dependencies: ["Border", "CCurl"]),
    .target(
      name: "IsolationStore", dependencies: ["ControlClient", "Platform", "RealtimeCore", "ZLibLibrary"]),
    .target(name: "DashboardView", dependencies: ["Border", "SessionModel"]),
    .target(name: "DashboardTerminal", dependencies: ["CNCurses", "DashboardView"]),
    .target(name: "Desktop", dependencies: ["Border", "MessageBus", "PipeWireClient", "Platform", "SessionModel"]),
    .target(name: "Tray", dependencies: ["Border", "MessageBus", "PipeWireClient", "Platform", "SessionModel"]),
    .executableTarget(
      name: "NearendCommand",
      dependencies: [
        "Border", "Nearend", "Preferences", "Desktop", "Doctor", "OfflineProcessing", "ControlClient", "DashboardView",
        "DashboardTerminal", "IsolationStore", "Platform", "RTP", "SimulatedHardware", "RealtimeCore", "Tray",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // For its installation
    .executableTarget(name: "ManualPages", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]),

    // Numbers, noise and tones that repeat in every run
    .target(name: "SeededSignals", swiftSettings: optimizedSwift),

    // The world around it, for rehearsal and tests
    .target(
      name: "SimulatedHardware",
      dependencies: [
        "Platform", "PipeWireClient", "MessageBus", "CRealtime", "CPipeWire", "CSampleRate", "CSimulatedDevice", "CKernels",
        "SeededSignals", "SoundFileLibrary", "SystemdLibrary",
      ]),
    .target(name: "CSimulatedDevice", dependencies: ["PipeWireLibrary"]),
    .target(name: "SimulatedClock", dependencies: ["PipeWireLibrary"]),
    .executableTarget(name: "SimulatedSession", dependencies: ["SimulatedHardware"]),

    // Programs that use the library, as their authors would write them
    .executableTarget(name: "Softphone", dependencies: ["Nearend"], path: "Examples/Softphone"),

    // Measurements
    .target(name: "CProfiler", dependencies: ["PipeWireLibrary"]),
    .executableTarget(
      name: "NearendBench",
      dependencies: [
        "Nearend", "ControlClient", "OfflineProcessing", "SeededSignals", "SimulatedHardware", "PipeWireClient", "Platform",
        "CAudioProcessing", "CProfiler",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // What the suppressor's network learns from
    .executableTarget(name: "FeatureExtractor", dependencies: ["RealtimeCore"], path: "Training/FeatureExtractor"),

    // What several test targets need
    .target(name: "CHostileClient", dependencies: ["PipeWireLibrary"], path: "Tests/CHostileClient"),
    .target(
      name: "TestSupport", dependencies: ["SessionModel", "SeededSignals", "SimulatedHardware", "CHostileClient"],
      path: "Tests/TestSupport", swiftSettings: optimizedSwift),
    .target(name: "TestPlugIns", path: "Tests/TestPlugIns"),

    .testTarget(name: "BorderTests", dependencies: ["Border", "PipeWireClient", "PipeWireGraph", "SessionModel", "Nearend"]),
    .testTarget(name: "RTPTests", dependencies: ["RTP"]),
    .testTarget(
      name: "PipeWireGraphTests", dependencies: ["PipeWireClient", "PipeWireGraph", "RealtimeCore", "SessionModel"]),
    .testTarget(
      name: "RealtimeCoreTests", dependencies: ["RealtimeCore", "CKernels", "CRealtime", "TestPlugIns", "TestSupport"],
      swiftSettings: optimizedSwift),
    .testTarget(
      name: "IsolationTests", dependencies: ["IsolationStore", "Nearend", "Platform", "RealtimeCore", "SessionModel", "SimulatedHardware"]),
    .testTarget(
      name: "OfflineTests",
      dependencies: [
        "SoundFileLibrary", "OfflineProcessing", "Nearend", "Platform", "RealtimeCore", "SessionModel", "SimulatedHardware",
        "TestPlugIns", "TestSupport",
      ]),
    .testTarget(name: "SessionModelTests", dependencies: ["SessionModel", "SeededSignals"]),
    .testTarget(name: "PreferencesTests", dependencies: ["Preferences", "Nearend", "RTP", "SessionModel", "TestSupport"]),
    .testTarget(name: "DesktopTests", dependencies: ["Desktop", "SessionModel", "SimulatedHardware", "TestSupport"]),
    .testTarget(name: "TrayTests", dependencies: ["MessageBus", "Tray", "SessionModel", "SimulatedHardware", "TestSupport"]),
    .testTarget(name: "DoctorTests", dependencies: ["Doctor", "SessionModel", "TestSupport"]),
    .testTarget(
      name: "NearendTests", dependencies: ["Nearend", "PipeWireGraph", "RealtimeCore", "SeededSignals", "SessionModel", "TestPlugIns"]),
    // Not a part of Trials, all of which `make unit` would have to build with it
    .executableTarget(
      name: "DashboardDemo", dependencies: ["DashboardView", "DashboardTerminal", "SessionModel"], path: "Tests/DashboardDemo"),
    .testTarget(
      name: "DashboardTests", dependencies: ["DashboardView", "DashboardTerminal", "DashboardDemo", "SessionModel", "TestSupport"],
      exclude: ["Snapshots"]),
    .testTarget(name: "SimulatedHardwareTests", dependencies: ["SeededSignals", "SimulatedHardware", "SimulatedSession"]),
    .testTarget(
      name: "GraphTests",
      dependencies: [
        "Nearend", "Platform", "RTP", "RealtimeCore", "SimulatedHardware", "NearendCommand", "DashboardView", "CHostileClient",
        "TestSupport",
      ]),
    .executableTarget(
      name: "Trials",
      dependencies: [
        "Border", "CHostileClient", "DashboardView", "Doctor", "Nearend", "OfflineProcessing", "PipeWireClient", "PipeWireGraph",
        "Platform", "RealtimeCore", "SessionModel", "SimulatedHardware", "SoundFileLibrary", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Trials"),
    .testTarget(
      name: "ControlTests",
      dependencies: ["Nearend", "ControlClient", "RTP", "RealtimeCore", "SessionModel", "SimulatedHardware", "TestSupport"]),
    .testTarget(
      name: "TelemetryTests",
      dependencies: ["Nearend", "RealtimeCore", "SessionModel", "PipeWireGraph", "SimulatedHardware", "TestSupport"],
      exclude: ["Snapshots"]),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "ControlClient", "DashboardView", "NearendCommand", "ManualPages", "Trials", "Doctor", "IsolationStore", "Nearend",
        "OfflineProcessing", "PipeWireClient", "PipeWireGraph", "Platform", "Preferences", "RTP", "RealtimeCore", "SessionModel",
        "Softphone", "SimulatedHardware", "TestPlugIns", "TestSupport",
      ],
      exclude: ["Snapshots"]),
  ]
)

// The realtime fence. RealtimeSanitizer came with LLVM 20: Swift 6.3's clang has it, that of Debian 13's Swift 6.0 does not.
#if compiler(>=6.3)
  package.targets += [
    .target(name: "CRealtimeFence", cSettings: [.unsafeFlags(["-fsanitize=realtime"])]),
    .executableTarget(
      name: "RealtimeCheck", dependencies: ["RealtimeCore", "CRealtimeFence", "SeededSignals"],
      linkerSettings: [.unsafeFlags(["-Xclang-linker", "-fsanitize=realtime"])]),
    .testTarget(name: "RealtimeCheckTests", dependencies: ["RealtimeCheck"]),
  ]
#endif

// `NEAREND_TARGETS="SessionModelTests NearendTests"` leaves only those targets and what they need, so that nothing else is built, and the
// tests' program has no other tests. Targets that take a newer Swift than this may be among them.
if let chosen = Context.environment["NEAREND_TARGETS"] {
  var needed: Set<String> = []
  func need(_ name: String) {
    guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { return }
    for case .byNameItem(let name, _) in target.dependencies { need(name) }
  }
  chosen.split(separator: " ").forEach { need(String($0)) }
  package.products = []
  package.targets.removeAll { !needed.contains($0.name) }
}
