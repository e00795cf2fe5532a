import { type Clock, systemClock, type Timer } from '@nodeagent/api';

/** Pods to sync at a later time, each at most once. */
export interface WorkQueue {
  /** Schedules the pod in `delayMs` milliseconds. The last call for a pod replaces earlier ones, even with a later time. */
  enqueue(uid: string, delayMs: number): void;
  /** Removes and returns the pods whose due time has passed. */
  takeDue(): string[];
  /** Called when a pod is due; then call {@link takeDue}. Without a listener no timer runs. */
  onDue: (() => void) | undefined;
  /** Number of queued pods. */
  readonly size: number;
  /** Cancels the timer and empties the queue; later calls are ignored. Idempotent. */
  stop(): void;
}

/** Options of {@link createWorkQueue}. */
export interface WorkQueueOptions {
  /** Default: the system clock. */
  clock?: Clock;
}

/** Creates a work queue with one timer for the earliest entry. Times are monotonic. */
export function createWorkQueue(options: WorkQueueOptions = {}): WorkQueue {
  const { clock = systemClock } = options;
  const due = new Map<string, number>();
  /** No entry is due before this time: most calls of `takeDue` need not visit the entries. */
  let noneBefore = Number.POSITIVE_INFINITY;
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
    noneBefore = Number.POSITIVE_INFINITY;
    for (const at of due.values()) if (at < noneBefore) noneBefore = at;
    if (noneBefore < Number.POSITIVE_INFINITY) arm(noneBefore);
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
      noneBefore = Math.min(noneBefore, at);
      arm(at);
    },
    takeDue() {
      const now = clock.monotonic();
      const taken: string[] = [];
      if (noneBefore >= now) return taken;
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
