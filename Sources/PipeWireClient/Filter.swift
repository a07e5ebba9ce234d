import Border
internal import CPipeWire
internal import Glibc
import Platform

/// A node with DSP ports (32-bit float mono) whose process callback runs on PipeWire's data thread. [control]
///
/// Ports may be added at any time. They are never removed, because libpipewire 0.3 frees a port while the audio thread uses it: an unused
/// port is renamed and kept for reuse.
package final class Filter {
  /// The node's state as reported by libpipewire: paused is in the graph without cycles, streaming has cycles, and an error comes with a
  /// printable reason.
  package enum State: Sendable, Equatable {
    case unconnected, connecting, paused, streaming
    case error(String)
  }
  /// The side of the node: sound enters at inputs, and leaves at outputs.
  package enum Direction: Sendable { case input, output }

  /// An event, reported on the loop's thread.
  package enum Event {
    case state(State)
    /// The graph reported the latency at a port.
    case latency(port: FilterPort, Latency)
    /// Another client requests values for the node's parameters; nothing has changed yet.
    case parameters([ParameterChange])
  }

  /// The process callback. Runs on the data thread with the `data` given to `init`; `Cycle.init` reads `cycle`. [realtime]
  package typealias Process = @convention(c) (_ data: UnsafeMutableRawPointer?, _ cycle: UnsafeRawPointer?) -> Void

  /// The last state reported by libpipewire, set before its `.state` event. [control]
  package private(set) var state = State.unconnected
  /// The node's id, once known.
  package var nodeId: UInt32? {
    let id = pw_filter_get_node_id(filter)
    return id == .max ? nil : id
  }
  private let connection: Connection
  private let filter: OpaquePointer
  private let hook = UnsafeMutablePointer<spa_hook>.zeroed()
  private let target = UnsafeMutablePointer<npw_filter_target>.allocate(capacity: 1)
  private var ports: [UnsafeMutableRawPointer: FilterPort] = [:]
  private let handler: (Event) -> Void
  private let keptAlive: AnyObject?

  /// Makes the node; `connect` adds it to the graph. [control]
  /// - Parameters:
  ///   - name: `node.name`.
  ///   - process: the audio thread's entry point.
  ///   - keepingAlive: the owner of `data`, released when the audio thread no longer runs.
  package init(
    _ connection: Connection, name: String, properties: Properties = [:], data: UnsafeMutableRawPointer?, process: Process,
    keepingAlive: AnyObject? = nil, handler: @escaping (Event) -> Void
  ) throws(PipeWireError) {
    connection.loop.assertLocked()
    self.connection = connection
    self.handler = handler
    keptAlive = keepingAlive
    let fixed = ["node.name": name, "media.type": "Audio", "media.category": "Filter", "media.role": "DSP"]
    guard let filter = pw_filter_new(connection.core, name, properties.merging(fixed) { $1 }.makePointer()) else {
      hook.deallocate()
      target.deallocate()
      throw PipeWireError(failed: "cannot make the filter \(name)", SystemError.last.code)
    }
    self.filter = filter
    // The calling convention is the same; only the pointer's type differs.
    target.initialize(to: npw_filter_target(function: unsafeBitCast(process, to: npw_process_function.self), data: data, owner: nil))
    target.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
    pw_filter_add_listener(filter, hook, Self.events, target)
  }

  deinit {
    pw_filter_destroy(filter)
    target.deallocate()
    hook.deallocate()
  }

  /// Adds the node to the graph. With `reportsLatency` the ports' latencies are reported as events, and `setLatency` reports nearend's
  /// latencies to the graph. [control]
  package func connect(reportsLatency: Bool = false) throws(PipeWireError) {
    var flags = PW_FILTER_FLAG_RT_PROCESS.rawValue
    if reportsLatency { flags |= PW_FILTER_FLAG_CUSTOM_LATENCY.rawValue }
    let result = ThreadLoop.hasDescriptors() ? pw_filter_connect(filter, pw_filter_flags(rawValue: flags), nil, 0) : -EMFILE
    guard result >= 0 else {
      throw PipeWireError(failed: "the filter cannot join the graph", result)
    }
  }

  /// Adds a port, before or after `connect`, even while audio runs. [control]
  package func addPort(_ direction: Direction, name: String, properties: Properties = [:]) throws(PipeWireError) -> FilterPort {
    let fixed = ["format.dsp": "32 bit float mono audio", "port.name": name]
    let side = direction == .input ? SPA_DIRECTION_INPUT : SPA_DIRECTION_OUTPUT
    guard
      let pointer = pw_filter_add_port(
        filter, side, PW_FILTER_PORT_FLAG_MAP_BUFFERS, MemoryLayout<UInt>.size, properties.merging(fixed) { $1 }.makePointer(), nil, 0)
    else { throw PipeWireError(failed: "cannot add the port \(name)", SystemError.last.code) }
    // Ports are never removed, so their indices follow the order of creation.
    let index = ports.values.count { $0.direction == direction }
    let port = FilterPort(pointer: pointer, direction: direction, index: index, name: name)
    ports[pointer] = port
    return port
  }

  /// Renames a port; the registry keeps reporting the first name, at least in 0.3.65. [control]
  package func rename(_ port: FilterPort, to name: String) {
    port.name = name
    _ = ["port.name": name].withDictionary { pw_filter_update_properties(filter, port.pointer, $0) }
  }

  /// Returns the port of this direction with this index, the registry's `port.id`; nil if there is none. [control]
  package func port(_ direction: Direction, index: Int) -> FilterPort? {
    ports.values.first { $0.direction == direction && $0.index == index }
  }

  /// Reports to the graph the latency before (`input`) or after (`output`) a port, including nearend's own. [control]
  package func setLatency(_ latency: Latency, of port: FilterPort, direction: Direction) {
    var info = npw_latency(
      direction: direction == .input ? SPA_DIRECTION_INPUT.rawValue : SPA_DIRECTION_OUTPUT.rawValue, quanta: latency.quanta,
      frames: latency.frames, nanoseconds: latency.nanoseconds)
    npw_filter_update_port_latency(filter, port.pointer, &info)
  }

  /// Reports the latency of the node's own processing in frames to the graph. [control]
  package func setProcessLatency(frames: Int) { npw_filter_update_process_latency(filter, Int32(clamping: frames)) }

  /// Changes properties of the node; some take effect in the daemon at once. [control]
  package func update(_ properties: Properties) { _ = properties.withDictionary { pw_filter_update_properties(filter, nil, $0) } }

  /// Publishes the node's parameters, replacing the previous ones. [control], not from `Event.parameters`.
  package func publish(_ parameters: [NodeParameter]) throws(PipeWireError) {
    connection.loop.assertLocked()
    let result = parameters.withPointer { npw_filter_publish_parameters(filter, $0, $1) }
    guard result < 0 else { return }
    throw PipeWireError(failed: "the node's Props cannot be published", result)
  }

  private func stateChanged(_ new: pw_filter_state, _ error: UnsafePointer<CChar>?) {
    switch new {
    case PW_FILTER_STATE_CONNECTING: state = .connecting
    case PW_FILTER_STATE_PAUSED: state = .paused
    case PW_FILTER_STATE_STREAMING: state = .streaming
    case PW_FILTER_STATE_ERROR: state = .error(error.map { String(cString: $0).printable(atMost: String.longestRemark) } ?? "unknown")
    default: state = .unconnected
    }
    handler(.state(state))
  }

  private static func owner(_ data: UnsafeMutableRawPointer?) -> Filter {
    Unmanaged<Filter>.fromOpaque(data!.assumingMemoryBound(to: npw_filter_target.self).pointee.owner).takeUnretainedValue()
  }

  nonisolated(unsafe) private static let events: UnsafePointer<pw_filter_events> = {
    let events = UnsafeMutablePointer<pw_filter_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_FILTER_EVENTS)
    events.pointee.process = npw_filter_process
    events.pointee.state_changed = { data, _, new, error in Filter.owner(data).stateChanged(new, error) }
    events.pointee.param_changed = { data, port, id, param in
      let filter = Filter.owner(data)
      if port == nil, id == SPA_PARAM_Props.rawValue { return filter.handler(.parameters(Pod(param).map([ParameterChange].init) ?? [])) }
      guard let port, id == SPA_PARAM_Latency.rawValue, let port = filter.ports[port] else { return }
      guard let latency = Pod(param).flatMap(Latency.init) else { return }
      filter.handler(.latency(port: port, latency))
    }
    return UnsafePointer(events)
  }()
}

/// One DSP port of a filter.
package final class FilterPort {
  /// The current name, which `Filter.rename` changes. [control]
  package fileprivate(set) var name: String
  /// The name that it was created with, which the registry keeps reporting.
  package let firstName: String
  /// The side of the filter; each side has its own `index`.
  package let direction: Filter.Direction
  /// Its index among the filter's ports of its direction.
  package let index: Int
  /// The argument for `copyInput` and `outputBuffer` on the audio thread.
  package let pointer: UnsafeMutableRawPointer

  fileprivate init(pointer: UnsafeMutableRawPointer, direction: Filter.Direction, index: Int, name: String) {
    self.pointer = pointer
    self.direction = direction
    self.index = index
    self.name = name
    firstName = name
  }
}
