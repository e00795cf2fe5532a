import { type Clock, type Pod, systemClock, type Timer } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { activeDeadline } from './active-deadline.js';

/** Requests a sync of each pod when its `activeDeadlineSeconds` end: one timer for each pod that has a deadline. */
export interface DeadlineTimers {
  /** Sets, moves or cancels the pod's timer; `startTime` is that of its status. Sets none for a deadline in the past. */
  update(pod: Pod, startTime: string | null | undefined): void;
  /** Cancels the pod's timer, if it has one. */
  cancel(podUid: string): void;
  /** Cancels all timers. */
  stop(): void;
}

/** Calls `onDeadline` once for each deadline, at the time that {@link activeDeadline} gives. Creation sets no timer. */
export function createDeadlineTimers(
  onDeadline: (podUid: string) => void,
  clock: Pick<Clock, 'now' | 'setTimeout'> = systemClock,
): DeadlineTimers {
  const timers = new Map<string, { at: number; timer: Timer }>();
  const cancel = (uid: string) => {
    timers.get(uid)?.timer.cancel();
    timers.delete(uid);
  };
  return {
    update(pod, startTime) {
      const uid = podUid(pod);
      const at = activeDeadline(pod, startTime);
      if (at === undefined) return cancel(uid);
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
