import { checkOptionNames, type Logger, type OptionNames, silentLogger, systemClock } from '@nodeagent/api';
import { createLogind, type LogindOptions } from './logind.js';
import type { RunningProgram } from './programs.js';
import type { ShutdownInhibitor } from './shutdown-inhibitor.js';

/**
 * Options of {@link createLogindInhibitor}. `busctl` and `systemdInhibit` default to the programs of the search path. `configFile` is
 * written if logind's limit is too low; it defaults to `/etc/systemd/logind.conf.d/99-kubelet.conf`.
 */
export interface LogindInhibitorOptions extends Partial<LogindOptions> {
  /** Default: silent. */
  logger?: Logger;
}

const optionNames: OptionNames<LogindInhibitorOptions> = {
  logger: true,
  busctl: true,
  systemdInhibit: true,
  configFile: true,
  clock: true,
};

/** Pause before a reconnection, in milliseconds. */
const reconnectMs = 1_000;

/**
 * Creates an inhibitor that watches systemd's logind and holds a delay lock. `watch` starts child processes and ends them when the signal
 * aborts; see docs/decisions/0025-use-systemd-programs-instead-of-d-bus.md. Kubernetes documentation, "Node Shutdowns"; systemd's "Inhibitor Locks".
 */
export function createLogindInhibitor(options: LogindInhibitorOptions = {}): ShutdownInhibitor {
  checkOptionNames('createLogindInhibitor', options, optionNames);
  const { clock = systemClock, logger = silentLogger, busctl = 'busctl', systemdInhibit = 'systemd-inhibit' } = options;
  const { configFile = '/etc/systemd/logind.conf.d/99-kubelet.conf' } = options;
  const logind = createLogind({ busctl, systemdInhibit, configFile, clock });
  return {
    async watch({ seconds, onShutdown, onCancelled }, signal) {
      let monitor: RunningProgram | undefined;
      let lock: RunningProgram | undefined;
      let currentShutdown: object | undefined;

      const takeLock = async () => {
        const taken = logind.lock();
        lock = taken;
        taken.ended.then(() => {
          if (lock !== taken) return;
          lock = undefined;
          monitor?.kill();
        });
        await taken.answered;
      };
      const unlock = () => {
        const held = lock;
        lock = undefined;
        held?.close();
      };
      const handleSignal = (isShuttingDown: boolean) => {
        if (isShuttingDown && currentShutdown === undefined) {
          const shutdown = {};
          currentShutdown = shutdown;
          onShutdown()
            .catch((error) => logger.warn({ err: error }, 'the shutdown of the pods failed'))
            .finally(() => {
              if (currentShutdown === shutdown) unlock();
            });
        } else if (!isShuttingDown && currentShutdown !== undefined) {
          currentShutdown = undefined;
          onCancelled();
          if (lock === undefined) takeLock().catch(() => monitor?.kill());
        }
      };
      const connect = async (): Promise<RunningProgram> => {
        await logind.allowDelay(seconds, signal);
        const connected = logind.monitor(handleSignal);
        monitor = connected;
        try {
          if (currentShutdown === undefined && lock === undefined) await takeLock();
          // A shutdown may have started before the monitor was connected.
          if (await logind.isPreparing(signal)) handleSignal(true);
          signal.throwIfAborted();
        } catch (error) {
          connected.kill();
          throw error;
        }
        return connected;
      };
      const reconnect = async (): Promise<RunningProgram> => {
        for (;;) {
          await clock.sleep(reconnectMs, signal);
          try {
            return await connect();
          } catch (error) {
            logger.debug({ err: error }, 'failed to reconnect to logind');
          }
        }
      };
      const keep = async (first: RunningProgram) => {
        for (let connected = first; ; connected = await reconnect()) {
          const error = await connected.ended;
          if (signal.aborted) return;
          logger.warn({ err: error }, 'lost the connection to logind; reconnecting');
        }
      };

      signal.throwIfAborted();
      const end = () => {
        unlock();
        monitor?.kill();
      };
      signal.addEventListener('abort', end, { once: true });
      try {
        keep(await connect()).catch(() => {});
      } catch (error) {
        signal.removeEventListener('abort', end);
        end();
        throw error;
      }
    },
  };
}
