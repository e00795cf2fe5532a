import type { Clock, Pod, Timer } from '@nodeagent/api';
import { parseTime, podUid } from '@nodeagent/api';

/** Wakes pods when their `activeDeadlineSeconds` runs out: one timer for each pod that has a deadline. */
export interface DeadlineTimers {
  /** Sets, moves or drops the pod's timer; `startTime` is that of its status. */
  update(pod: Pod, startTime: string | null | undefined): void;
  cancel(podUid: string): void;
  stop(): void;
}

export function createDeadlineTimers(clock: Clock, onDeadline: (podUid: string) => void): DeadlineTimers {
  const timers = new Map<string, { at: number; timer: Timer }>();
  const cancel = (uid: string) => {
    timers.get(uid)?.timer.cancel();
    timers.delete(uid);
  };
  return {
    update(pod, startTime) {
      const uid = podUid(pod);
      const started = parseTime(startTime);
      const seconds = pod.spec?.activeDeadlineSeconds;
      if (started === undefined || seconds === undefined) return cancel(uid);
      const at = started + seconds * 1000;
      if (timers.get(uid)?.at === at) return;
      cancel(uid);
      if (at < clock.now()) return;
      timers.set(uid, {
        at,
        timer: clock.setTimeout(() => onDeadline(uid), at - clock.now()),
      });
    },
    cancel,
    stop() {
      for (const uid of [...timers.keys()]) cancel(uid);
    },
  };
}
