import type { Clock, Timer } from '@nodeagent/api';

export interface BurstOptions {
  clock: Pick<Clock, 'setTimeout' | 'monotonic'>;
  /** Milliseconds without an event after which a burst ends. */
  quietMs: number;
  /** Milliseconds after its first event at which a burst ends in any case. */
  maxMs: number;
  /** Maximum of names to keep; a burst with more is reported as `all`. */
  maxNames: number;
  /** Receives the names of the burst, or `all` if any entry of the folder may have changed. */
  onBurst: (names: ReadonlySet<string> | 'all') => void;
}

/** Combines events in quick succession, such as the writes of an editor that saves a file in parts, into one call of `onBurst`. */
export interface Burst {
  /** Adds an event; undefined if the name of the changed entry is unknown. */
  add(name: string | undefined): void;
  /** Discards the current burst. */
  clear(): void;
}

export function createBurst({ clock, quietMs, maxMs, maxNames, onBurst }: BurstOptions): Burst {
  let names = new Set<string>();
  let hasUnknown = false;
  let timer: Timer | undefined;
  let startedAt = 0;

  const take = () => {
    const gathered = hasUnknown ? 'all' : names;
    clear();
    onBurst(gathered);
  };
  const clear = () => {
    timer?.cancel();
    timer = undefined;
    names = new Set();
    hasUnknown = false;
  };

  return {
    add(name) {
      if (name === undefined || names.size >= maxNames) hasUnknown = true;
      else names.add(name);
      if (timer === undefined) startedAt = clock.monotonic();
      timer?.cancel();
      timer = clock.setTimeout(take, Math.min(quietMs, startedAt + maxMs - clock.monotonic()));
    },
    clear,
  };
}
