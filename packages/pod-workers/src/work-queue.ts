import { type Clock, systemClock, type Timer } from '@nodeagent/api';

/** Pods that are to be synced again at some time, each at most once. */
export interface WorkQueue {
  /** Makes the pod due in `delayMs` milliseconds; the last call for a pod wins, even if it is later. */
  enqueue(uid: string, delayMs: number): void;
  /** Takes out the pods whose time is strictly over. */
  takeDue(): string[];
  /** Called when a pod has become due; call {@link takeDue} then. Without a listener no timer runs. */
  onDue: (() => void) | undefined;
  /** Pods that wait. */
  readonly size: number;
  /** Ends the timer and forgets what waits; what comes later is ignored. Idempotent. */
  stop(): void;
}

/** Options of {@link createWorkQueue}. */
export interface WorkQueueOptions {
  /** Default: real time. */
  clock?: Clock;
}

/**
 * A work queue with one timer, set for the earliest entry: nothing runs while nothing is due. Times are monotonic.
 */
export function createWorkQueue({ clock = systemClock }: WorkQueueOptions = {}): WorkQueue {
  const due = new Map<string, number>();
  let onDue: (() => void) | undefined;
  let timer: Timer | undefined;
  let timerAt = Number.POSITIVE_INFINITY;
  let stopped = false;

  const arm = (at: number) => {
    if (onDue === undefined || stopped || at >= timerAt) return;
    timer?.cancel();
    timerAt = at;
    // An entry is due strictly after its time: one millisecond later.
    timer = clock.setTimeout(fire, at - clock.monotonic() + 1);
  };
  const armForEarliest = () => {
    let earliest = Number.POSITIVE_INFINITY;
    for (const at of due.values()) if (at < earliest) earliest = at;
    if (earliest < Number.POSITIVE_INFINITY) arm(earliest);
  };
  const fire = () => {
    timer = undefined;
    timerAt = Number.POSITIVE_INFINITY;
    const now = clock.monotonic();
    for (const at of due.values()) {
      if (at < now) return onDue?.();
    }
    armForEarliest();
  };

  return {
    enqueue(uid, delayMs) {
      if (stopped) return;
      const at = clock.monotonic() + delayMs;
      due.set(uid, at);
      arm(at);
    },
    takeDue() {
      const now = clock.monotonic();
      const taken: string[] = [];
      for (const [uid, at] of due) {
        if (at >= now) continue;
        due.delete(uid);
        taken.push(uid);
      }
      armForEarliest();
      return taken;
    },
    get onDue() {
      return onDue;
    },
    set onDue(listener) {
      onDue = listener;
      if (listener === undefined) {
        timer?.cancel();
        timer = undefined;
        timerAt = Number.POSITIVE_INFINITY;
      } else armForEarliest();
    },
    get size() {
      return due.size;
    },
    stop() {
      stopped = true;
      timer?.cancel();
      timer = undefined;
      due.clear();
    },
  };
}
