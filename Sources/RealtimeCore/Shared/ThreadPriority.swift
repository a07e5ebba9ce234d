internal import Glibc

/// Asks for the lowest realtime priority for this thread, which has a deadline and works little; without the right to one it stays as it is. [control]
func raisePriority() {
  var parameters = sched_param()
  parameters.sched_priority = sched_get_priority_min(SCHED_RR)
  _ = pthread_setschedparam(pthread_self(), SCHED_RR, &parameters)
}
