import type { Clock, Random } from '@nodeagent/api';
import { openSession, type Session } from './session.js';

export interface ChannelOptions {
  socketPath: string;
  /** Delay after a failed attempt to connect, in milliseconds: it grows from `min` to `max`. */
  reconnectDelayMs: { min: number; max: number };
  clock: Pick<Clock, 'monotonic'>;
  random: Random;
}

/** The connection to one socket, re-opened by the first call after it was lost. */
export interface Channel {
  /**
   * The connection for a new request; opens one if there is none.
   *
   * @throws the error of the last attempt while the delay after it lasts
   */
  session(): Session;
  /** Closes all connections. */
  destroy(): void;
}

/** How much longer each delay is than the previous one, and the share by which it varies at random. */
const backOff = { factor: 1.6, jitter: 0.2 };

export function createChannel({ socketPath, reconnectDelayMs, clock, random }: ChannelOptions): Channel {
  /** All open sessions: the current one, and those that finish their calls after a GOAWAY. */
  const sessions = new Set<Session>();
  let current: Session | undefined;
  let failure: { error: Error; until: number } | undefined;
  let delayMs = reconnectDelayMs.min;

  function open(): Session {
    let isReady = false;
    const session: Session = openSession({
      socketPath,
      onReady() {
        isReady = true;
        failure = undefined;
        delayMs = reconnectDelayMs.min;
      },
      onClose(error) {
        sessions.delete(session);
        if (isReady) return;
        failure = { error, until: clock.monotonic() + delayMs };
        const spread = 1 + backOff.jitter * (2 * random() - 1);
        delayMs = Math.min(delayMs * backOff.factor, reconnectDelayMs.max) * spread;
      },
    });
    sessions.add(session);
    return session;
  }

  return {
    session() {
      if (current?.isUsable) return current;
      if (failure !== undefined && clock.monotonic() < failure.until) throw failure.error;
      current = open();
      return current;
    },
    destroy() {
      for (const session of sessions) session.destroy(new Error('the client is closed'));
    },
  };
}
