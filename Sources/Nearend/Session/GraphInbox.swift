import Glibc
import PipeWireGraph
import SessionModel

/// Dispatches the graph's events to the session, the log, the bus and the watchers. [any]
final class GraphInbox: GraphListener {
  private let session: VoiceSession
  private let log: EventLog
  private let events: EventBus
  private let greeting: Greeting
  private let watch: EventWatch
  private let stages: StageWatch
  private let recorder: HistoryRecorder
  private let programs: Programs

  init(
    session: VoiceSession, log: EventLog, events: EventBus, greeting: Greeting, watch: EventWatch, stages: StageWatch,
    recorder: HistoryRecorder, programs: Programs
  ) {
    self.session = session
    self.log = log
    self.events = events
    self.greeting = greeting
    self.watch = watch
    self.stages = stages
    self.recorder = recorder
    self.programs = programs
  }

  func handle(_ event: GraphEvent) {
    switch event {
    case .session(.applications(let applications)): session.update(applications: applications)
    case .session(let event): session.send(event)
    case .failed(let error): events.post(.failed(error))
    case .remark(let level, let message):
      greeting.post()
      log.add(level, message)
    case .route(let ends): watch.update(ends)
    case .routeChanged(let change):
      log.add(change.reason.level, change.words)
      events.post(.routeChange, detail: change.detail, route: change)
    case .soundPasses: session.soundPasses()
    case .cyclesRun:
      watch.poll()
      stages.poll()
      recorder.poll()
    }
  }

  var demands: SessionDemands { session.demands }
  var processes: Set<Int> { programs.processes.union([Int(getpid())]) }
}
