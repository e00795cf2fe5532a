import { systemClock } from '@nodeagent/api';

/** Number of event loop turns without traffic that count as quiet: after traffic, and without any since the last call. */
const [turnsAfterTraffic, turnsWithout] = [10, 3];

/** Minimum time after traffic whose arrival is not certain, for a machine that is too busy to deliver bytes at once. */
const millisecondsAfterTraffic = 2;

/** Maximum wait for a connection in progress: one to a dead address must not stop virtual time. */
const connectingMs = 1_000;

/** What a server knows of its clients. */
export interface QuietSigns {
  /** A counter that grows with every byte, and with opened and closed connections. */
  traffic(): number;
  /** Whether a client is busy before its first request. Default: never. */
  hesitates?(): boolean;
  /** Whether all bytes have certainly arrived, and no request is in progress. Default: never certain. */
  isSettled?(): boolean;
}

/**
 * Returns a function that waits until clients of the same process are quiet: until `traffic` stays the same, no connection is in
 * progress, and no client `hesitates` before its first request. The request of a client that reacts to a response arrives a few turns of the event
 * loop later, if the response has arrived; the loopback device of a busy machine may take longer.
 */
export function quietDetector({ traffic, hesitates = () => false, isSettled = () => false }: QuietSigns): () => Promise<void> {
  let lastTraffic: number | undefined;
  return async () => {
    const giveUp = systemClock.monotonic() + connectingMs;
    let [turns, enough, since] = [0, turnsWithout, Number.NEGATIVE_INFINITY];
    const isCertain = () => systemClock.monotonic() - since >= millisecondsAfterTraffic || (isSettled() && !isActive(fileOrLookup));
    const isStarting = () => hesitates() || (isActive(connection) && systemClock.monotonic() < giveUp);
    for (;;) {
      const now = traffic();
      if (now !== lastTraffic || (turns >= enough && isStarting())) {
        [lastTraffic, turns, enough, since] = [now, 0, turnsAfterTraffic, systemClock.monotonic()];
      } else if (turns++ >= enough && isCertain()) return;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
}

const connection = /ConnectWrap$/;
const fileOrLookup = /^(FSReq|GetAddrInfo)/;
const isActive = (resource: RegExp) => process.getActiveResourcesInfo().some((each) => resource.test(each));
