import type { Clock, Timer } from '@nodeagent/api';

/** Passes requests for a look at pods on to the pod lifecycle event generator. */
export interface Relists {
  request(podUid: string): void;
  stop(): void;
}

/** Long enough for the clock to show another time, whatever clock it is. */
const momentMs = 1;

/**
 * A listing counts as newer than the sync that asked for it only if the clock has moved in between, so requests wait a moment, those of
 * the same moment together.
 */
export function createRelists(clock: Clock, requestRelist: (podUid: string) => void): Relists {
  const waiting = new Set<string>();
  let timer: Timer | undefined;
  const pass = () => {
    timer = undefined;
    const podUids = [...waiting];
    waiting.clear();
    for (const podUid of podUids) requestRelist(podUid);
  };
  return {
    request(podUid) {
      waiting.add(podUid);
      timer ??= clock.setTimeout(pass, momentMs);
    },
    stop() {
      timer?.cancel();
      timer = undefined;
      waiting.clear();
    },
  };
}
