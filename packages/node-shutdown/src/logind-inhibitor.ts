import { type Logger, silentLogger, systemClock } from '@nodeagent/api';
import { createLogind, type LogindOptions } from './logind.js';
import { watchLogind } from './logind-watch.js';
import type { ShutdownInhibitor } from './shutdown-inhibitor.js';

/**
 * Options of {@link createLogindInhibitor}. `busctl` and `systemdInhibit` default to the programs of the search path. `configFile` is
 * written if logind's limit is too low; it defaults to `/etc/systemd/logind.conf.d/99-kubelet.conf`.
 */
export interface LogindInhibitorOptions extends Partial<LogindOptions> {
  /** Default: silent. */
  logger?: Logger;
}

/**
 * Creates an inhibitor that watches systemd's logind and holds a delay lock. `watch` starts child processes and ends them when the signal
 * aborts; see docs/decisions/0025-use-systemd-programs-instead-of-d-bus.md. Kubernetes documentation, "Node Shutdowns"; systemd's "Inhibitor Locks".
 */
export function createLogindInhibitor(options: LogindInhibitorOptions = {}): ShutdownInhibitor {
  const { clock = systemClock, logger = silentLogger, busctl = 'busctl', systemdInhibit = 'systemd-inhibit' } = options;
  const { configFile = '/etc/systemd/logind.conf.d/99-kubelet.conf' } = options;
  const logind = createLogind({ busctl, systemdInhibit, configFile, clock });
  return {
    watch: (watcher, signal) => watchLogind({ watcher, logind, clock, logger, signal }),
  };
}
