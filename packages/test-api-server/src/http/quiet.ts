import { systemClock } from '@nodeagent/api';

/** Number of event loop turns without traffic that count as quiet: after traffic, and without any since the last call. */
const [turnsAfterTraffic, turnsWithout] = [10, 3];

/** Minimum time, for a machine that is too busy to deliver bytes at once. */
const millisecondsAfterTraffic = 2;

/** Maximum wait for a connection in progress: one to a dead address must not stop virtual time. */
const connectingMs = 1_000;

/**
 * Returns a function that waits until clients of the same process are quiet: until `traffic` stays the same, no connection is in
 * progress, and no client `hesitates` before its first request. The loopback device delivers bytes at once, so the request of a client that
 * reacts to a response arrives a few turns of the event loop later.
 */
export function quietDetector(traffic: () => number, hesitates = () => false): () => Promise<void> {
  let lastTraffic: number | undefined;
  return async () => {
    const giveUp = systemClock.monotonic() + connectingMs;
    let [turns, enough, since] = [0, turnsWithout, Number.NEGATIVE_INFINITY];
    while (turns < enough || systemClock.monotonic() - since < millisecondsAfterTraffic) {
      const now = traffic();
      const isStarting = hesitates() || (isConnecting() && systemClock.monotonic() < giveUp);
      if (now === lastTraffic && !isStarting) turns++;
      else [lastTraffic, turns, enough, since] = [now, 0, turnsAfterTraffic, systemClock.monotonic()];
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
}

const isConnecting = () => process.getActiveResourcesInfo().some((resource) => resource.endsWith('ConnectWrap'));
