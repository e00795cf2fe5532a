import type { Clock, Logger } from '@nodeagent/api';
import type { Logind } from './logind.js';
import type { RunningProgram } from './programs.js';
import type { ShutdownWatcher } from './shutdown-inhibitor.js';

/** Pause before a reconnection, in milliseconds. */
const reconnectMs = 1_000;

interface LogindWatchOptions {
  watcher: ShutdownWatcher;
  logind: Logind;
  clock: Clock;
  logger: Logger;
  signal: AbortSignal;
}

/** Holds a delay lock and reports logind's shutdowns until the signal aborts. Resolves when both work; reconnects later by itself. */
export function watchLogind(options: LogindWatchOptions): Promise<void> {
  return new Watch(options).start();
}

class Watch {
  readonly #options: LogindWatchOptions;
  #monitor: RunningProgram | undefined;
  #lock: RunningProgram | undefined;
  #currentShutdown: object | undefined;

  constructor(options: LogindWatchOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { signal } = this.#options;
    signal.throwIfAborted();
    const end = () => {
      this.#unlock();
      this.#monitor?.kill();
    };
    signal.addEventListener('abort', end, { once: true });
    try {
      this.#keep(await this.#connect()).catch(() => {});
    } catch (error) {
      signal.removeEventListener('abort', end);
      end();
      throw error;
    }
  }

  async #connect(): Promise<RunningProgram> {
    const { logind, watcher, signal } = this.#options;
    await logind.allowDelay(watcher.seconds, signal);
    const connected = logind.monitor((isShuttingDown) => this.#handleSignal(isShuttingDown));
    this.#monitor = connected;
    try {
      if (this.#currentShutdown === undefined && this.#lock === undefined) await this.#takeLock();
      // A shutdown may have started before the monitor was connected.
      if (await logind.isPreparing(signal)) this.#handleSignal(true);
      signal.throwIfAborted();
    } catch (error) {
      connected.kill();
      throw error;
    }
    return connected;
  }

  async #keep(first: RunningProgram): Promise<void> {
    for (let connected = first; ; connected = await this.#reconnect()) {
      const error = await connected.ended;
      if (this.#options.signal.aborted) return;
      this.#options.logger.warn({ err: error }, 'lost the connection to logind; reconnecting');
    }
  }

  async #reconnect(): Promise<RunningProgram> {
    const { clock, logger, signal } = this.#options;
    for (;;) {
      await clock.sleep(reconnectMs, signal);
      try {
        return await this.#connect();
      } catch (error) {
        logger.debug({ err: error }, 'failed to reconnect to logind');
      }
    }
  }

  async #takeLock(): Promise<void> {
    const taken = this.#options.logind.lock();
    this.#lock = taken;
    taken.ended.then(() => {
      if (this.#lock !== taken) return;
      this.#lock = undefined;
      this.#monitor?.kill();
    });
    await taken.answered;
  }

  #unlock(): void {
    const held = this.#lock;
    this.#lock = undefined;
    held?.close();
  }

  #handleSignal(isShuttingDown: boolean): void {
    if (isShuttingDown && this.#currentShutdown === undefined) this.#beginShutdown();
    else if (!isShuttingDown && this.#currentShutdown !== undefined) this.#cancelShutdown();
  }

  #beginShutdown(): void {
    const { logger, watcher } = this.#options;
    const shutdown = {};
    this.#currentShutdown = shutdown;
    watcher
      .onShutdown()
      .catch((error) => logger.warn({ err: error }, 'the shutdown of the pods failed'))
      .finally(() => {
        if (this.#currentShutdown === shutdown) this.#unlock();
      });
  }

  #cancelShutdown(): void {
    this.#currentShutdown = undefined;
    this.#options.watcher.onCancelled();
    if (this.#lock === undefined) this.#takeLock().catch(() => this.#monitor?.kill());
  }
}
