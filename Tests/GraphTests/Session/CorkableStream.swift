import Foundation

@testable import SimulatedHardware

/// A softphone's stream: plays silence through libpulse with a role, and can be corked, which neither `pacat` nor `pw-cat` can.
final class CorkableStream {
  private let socket: ChildSocket
  private let process: ChildProcess

  /// Connects, and returns once it plays.
  /// - Parameters:
  ///   - role: `media.role`. PipeWire translates PulseAudio's roles: "phone" becomes "Communication".
  ///   - device: name of the sink.
  init(in session: PrivateSession, role: String, device: String) throws {
    let script = "\(session.path)/phone.py"
    try Self.script.write(toFile: script, atomically: true, encoding: .utf8)
    (socket, process) = try ChildSocket.make { childs in
      try session.spawn(
        "python3", [script, role, device], input: .descriptor(childs), output: .descriptor(childs),
        errors: .file("\(session.path)/logs/phone.log"))
    }
    let answer = Self.line(from: socket)
    guard answer == "ready" else {
      let (exit, log) = (process.wait(timeout: 1).map { "\($0)" } ?? "still runs", text(ofFile: "\(session.path)/logs/phone.log") ?? "")
      throw SessionError(.programFailed, "the phone does not play, but says '\(answer)', \(exit): \(log)")
    }
  }

  deinit { process.end(grace: 1) }

  var pid: Int32 { process.pid }

  /// Corks or uncorks the stream; returns once the server has done so.
  func cork(_ isOn: Bool) {
    socket.send(isOn ? "cork\n" : "uncork\n")
    _ = Self.line(from: socket)
  }

  /// Reads a line, in however many pieces it arrives.
  private static func line(from socket: ChildSocket) -> String {
    var line = Data()
    while line.last != 10, case let piece = socket.receive(), !piece.isEmpty { line += piece }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  func end() { process.end(grace: 1) }

  private static let script = #"""
    import ctypes
    import sys

    pulse = ctypes.CDLL("libpulse.so.0")
    for name in ("threaded_mainloop_new", "threaded_mainloop_get_api", "proplist_new", "context_new", "stream_new_with_proplist", "stream_cork"):
        getattr(pulse, "pa_" + name).restype = ctypes.c_void_p


    class SampleSpec(ctypes.Structure):
        _fields_ = [("format", ctypes.c_int), ("rate", ctypes.c_uint32), ("channels", ctypes.c_uint8)]


    NOTIFY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    REQUEST = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    SUCCESS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    S16LE, READY, STREAM_READY, RELATIVE = 3, 4, 2, 0

    loop = ctypes.c_void_p(pulse.pa_threaded_mainloop_new())
    wake = lambda *_: pulse.pa_threaded_mainloop_signal(loop, 0)


    def write(stream, count, _):
        stream, silence = ctypes.c_void_p(stream), b"\0" * count
        pulse.pa_stream_write(stream, silence, ctypes.c_size_t(count), None, ctypes.c_int64(0), RELATIVE)


    callbacks = NOTIFY(wake), SUCCESS(wake), REQUEST(write)
    notified, succeeded, requested = callbacks


    def wait(is_true):
        while not is_true():
            pulse.pa_threaded_mainloop_wait(loop)


    role, device = (argument.encode() for argument in sys.argv[1:3])
    pulse.pa_threaded_mainloop_start(loop)
    pulse.pa_threaded_mainloop_lock(loop)
    context = ctypes.c_void_p(pulse.pa_context_new(ctypes.c_void_p(pulse.pa_threaded_mainloop_get_api(loop)), b"phone"))
    pulse.pa_context_set_state_callback(context, notified, None)
    pulse.pa_context_connect(context, None, 0, None)
    wait(lambda: pulse.pa_context_get_state(context) == READY)
    properties = ctypes.c_void_p(pulse.pa_proplist_new())
    pulse.pa_proplist_sets(properties, b"media.role", role)
    form = SampleSpec(S16LE, 48000, 2)
    stream = ctypes.c_void_p(pulse.pa_stream_new_with_proplist(context, b"phone", ctypes.byref(form), None, properties))
    pulse.pa_stream_set_state_callback(stream, notified, None)
    pulse.pa_stream_set_write_callback(stream, requested, None)
    pulse.pa_stream_connect_playback(stream, device, None, 0, None, None)
    wait(lambda: pulse.pa_stream_get_state(stream) == STREAM_READY)
    pulse.pa_threaded_mainloop_unlock(loop)
    print("ready", flush=True)
    for line in sys.stdin:
        word = line.strip()
        if word == "quit":
            break
        pulse.pa_threaded_mainloop_lock(loop)
        operation = ctypes.c_void_p(pulse.pa_stream_cork(stream, int(word == "cork"), succeeded, None))
        wait(lambda: pulse.pa_operation_get_state(operation) != 0)
        pulse.pa_operation_unref(operation)
        pulse.pa_threaded_mainloop_unlock(loop)
        print(word, flush=True)
    """#
}
