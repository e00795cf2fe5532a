import type { Socket } from 'node:net';
import type { Clock, Random } from '@nodeagent/api';
import { openSession, type Session } from './session.js';
import { openedSocket, unixSocket } from './sockets.js';

/** The connection of a client. */
export interface Channel {
  /**
   * The connection for a new request; opens one if there is none.
   *
   * @throws the error of the last attempt while the delay after it lasts, or of a connection that cannot be opened again
   */
  session(): Session;
  /** Closes all connections. */
  destroy(): void;
}

/** A channel that opens its connection again after it was lost. */
export interface ReconnectingChannel extends Channel {
  /** Waits until a server has sent its settings. Rejects with the signal's reason. `onFailure` receives the error of each attempt. */
  whenReady(signal: AbortSignal, onFailure: (error: unknown) => void): Promise<void>;
}

export interface ReconnectingChannelOptions {
  socketPath: string;
  /** Delay after a failed attempt to connect, in milliseconds: it grows from `min` to `max`. */
  reconnectDelayMs: { min: number; max: number };
  clock: Pick<Clock, 'monotonic' | 'sleep'>;
  random: Random;
}

/** How much longer each delay is than the previous one, and the share by which it varies at random. */
const backOff = { factor: 1.6, jitter: 0.2 };

/** The connection to a Unix socket, opened by the first call and by the first one after it was lost. */
export function createReconnectingChannel(options: ReconnectingChannelOptions): ReconnectingChannel {
  const { socketPath, reconnectDelayMs, clock, random } = options;
  /** All open sessions: the current one, and those that finish their calls after a GOAWAY. */
  const sessions = new Set<Session>();
  let current: { session: Session; ready: Promise<void> } | undefined;
  let failure: { error: Error; until: number } | undefined;
  let delayMs = reconnectDelayMs.min;

  function open() {
    let isReady = false;
    let settle = { resolve: () => {}, reject: (_: Error) => {} };
    const ready = new Promise<void>((resolve, reject) => {
      settle = { resolve, reject };
    });
    // Only `whenReady` waits for it.
    ready.catch(() => {});
    const session: Session = openSession({
      open: unixSocket(socketPath),
      onReady() {
        isReady = true;
        failure = undefined;
        delayMs = reconnectDelayMs.min;
        settle.resolve();
      },
      onClose(error) {
        sessions.delete(session);
        settle.reject(error);
        if (isReady) return;
        failure = { error, until: clock.monotonic() + delayMs };
        const spread = 1 + backOff.jitter * (2 * random() - 1);
        delayMs = Math.min(delayMs * backOff.factor, reconnectDelayMs.max) * spread;
      },
    });
    sessions.add(session);
    return { session, ready };
  }

  function connection() {
    if (current?.session.isUsable) return current;
    if (failure !== undefined && clock.monotonic() < failure.until) throw failure.error;
    current = open();
    return current;
  }

  return {
    session: () => connection().session,
    async whenReady(signal, onFailure) {
      while (true) {
        signal.throwIfAborted();
        try {
          return await connection().ready;
        } catch (error) {
          onFailure(error);
        }
        await clock.sleep(Math.max(0, (failure?.until ?? 0) - clock.monotonic()), signal);
      }
    },
    destroy() {
      for (const session of sessions) session.destroy(new Error('the client is closed'));
    },
  };
}

/** Resolves to the connection over an open socket once the server has sent its settings. Rejects with the socket's error. */
export function createSocketChannel(socket: Socket, signal: AbortSignal | undefined): Promise<Channel> {
  return new Promise((resolve, reject) => {
    let lost: Error | undefined;
    const onAbort = () => session.destroy(signal?.reason);
    const session = openSession({
      open: openedSocket(socket),
      onReady() {
        signal?.removeEventListener('abort', onAbort);
        resolve(channel);
      },
      onClose(error) {
        signal?.removeEventListener('abort', onAbort);
        lost = error;
        reject(error);
      },
    });
    const channel: Channel = {
      session() {
        if (session.isUsable) return session;
        throw lost ?? new Error('the peer closes the connection');
      },
      destroy: () => session.destroy(new Error('the client is closed')),
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}
