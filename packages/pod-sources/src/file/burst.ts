import type { Clock, Timer } from '@nodeagent/api';

export interface BurstOptions {
  clock: Pick<Clock, 'setTimeout' | 'monotonic'>;
  /** Milliseconds without an event that end a burst. */
  quietMs: number;
  /** Milliseconds after which a burst that does not end is told anyway. */
  longestMs: number;
  /** Names that are kept; more count as "anything". */
  maxNames: number;
  onBurst: (names: ReadonlySet<string> | 'anything') => void;
}

/** Gathers events that come close together, as those of an editor that saves in several writes, and tells them once. */
export interface Burst {
  /** Adds an event; without a name anything may have changed. */
  add(name: string | undefined): void;
  /** Forgets what was gathered. */
  clear(): void;
}

export function createBurst({ clock, quietMs, longestMs, maxNames, onBurst }: BurstOptions): Burst {
  let names = new Set<string>();
  let anything = false;
  let timer: Timer | undefined;
  let began = 0;

  const take = () => {
    const gathered = anything ? 'anything' : names;
    clear();
    onBurst(gathered);
  };
  const clear = () => {
    timer?.cancel();
    timer = undefined;
    names = new Set();
    anything = false;
  };

  return {
    add(name) {
      if (name === undefined || names.size >= maxNames) anything = true;
      else names.add(name);
      if (timer === undefined) began = clock.monotonic();
      timer?.cancel();
      timer = clock.setTimeout(take, Math.min(quietMs, began + longestMs - clock.monotonic()));
    },
    clear,
  };
}
