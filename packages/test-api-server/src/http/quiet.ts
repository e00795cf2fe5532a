import { systemClock } from '@nodeagent/api';

/** For how many turns of the event loop nothing may move: after something did, and if nothing did since the last time. */
const [turnsAfterTraffic, turnsWithout] = [10, 3];

/** How long, for a machine that is too busy to hand bytes over at once. */
const millisecondsAfterTraffic = 2;

/** For how long a connection that is being made is waited for: one to where nobody answers must not stop time. */
const connectingMs = 1_000;

/**
 * What waits until clients of the same process have said all that they have to say: until `traffic` stays the same, nobody is
 * about to connect, and no client `hesitates` before its first request. The loopback device hands bytes over at once, so a client that
 * answers what it reads is heard a few turns of the event loop later.
 */
export function quietDetector(traffic: () => number, hesitates = () => false): () => Promise<void> {
  let heard: number | undefined;
  return async () => {
    const giveUp = systemClock.monotonic() + connectingMs;
    let [turns, enough, since] = [0, turnsWithout, Number.NEGATIVE_INFINITY];
    while (turns < enough || systemClock.monotonic() - since < millisecondsAfterTraffic) {
      const now = traffic();
      const begins = hesitates() || (isConnecting() && systemClock.monotonic() < giveUp);
      if (now === heard && !begins) turns++;
      else [heard, turns, enough, since] = [now, 0, turnsAfterTraffic, systemClock.monotonic()];
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
}

const isConnecting = () => process.getActiveResourcesInfo().some((resource) => resource.endsWith('ConnectWrap'));
