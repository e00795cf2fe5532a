import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, NodeAgentError } from '@nodeagent/api';
import { nodeShutdownErrorCodes } from './errors.js';
import { parseBoolean, parseSeconds, preparesForShutdown } from './logind-messages.js';
import { type RunningProgram, runProgram, startProgram } from './programs.js';

export interface LogindOptions {
  busctl: string;
  systemdInhibit: string;
  configFile: string;
  clock: Clock;
}

/** systemd's logind, called through systemd's own programs. Rejects with `LogindUnavailable`. */
export interface Logind {
  /** Raises logind's limit for delay locks to at least this many seconds. */
  allowDelay(seconds: number, signal: AbortSignal): Promise<void>;
  /** Takes a delay lock for shutdowns. It is held from `answered` until `close()`. */
  lock(): RunningProgram;
  /** Whether a shutdown has started already. */
  isPreparing(signal: AbortSignal): Promise<boolean>;
  /** Reports shutdowns (`true`) and their cancellations (`false`) from now on. */
  monitor(onSignal: (isShuttingDown: boolean) => void): RunningProgram;
}

const login = { name: 'org.freedesktop.login1', path: '/org/freedesktop/login1', interface: 'org.freedesktop.login1.Manager' };
const systemd = ['org.freedesktop.systemd1', '/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager'];
/** Matches logind's signals only: every program may send signals on the system bus. */
const announcements = `type='signal',sender='${login.name}',path='${login.path}',interface='${login.interface}',member='PrepareForShutdown'`;
const sigHup = '1';
/** Attempts to read logind's limit after a reload of its configuration; the first pause in milliseconds, doubled each time. */
const reloadTries = 5;
const reloadPauseMs = 100;

export function createLogind({ busctl, systemdInhibit, configFile, clock }: LogindOptions): Logind {
  const callBusctl = (signal: AbortSignal, ...args: string[]) => runProgram(busctl, ['--timeout=10', ...args], signal);
  const property = (name: string, signal: AbortSignal) => callBusctl(signal, 'get-property', login.name, login.path, login.interface, name);
  const allowedSeconds = async (signal: AbortSignal) => parseSeconds(await property('InhibitDelayMaxUSec', signal));
  return {
    async allowDelay(seconds, signal) {
      let allowed = await allowedSeconds(signal);
      if (allowed >= seconds) return;
      await mkdir(dirname(configFile), { recursive: true, mode: 0o755 });
      await writeFile(configFile, `# Time for the graceful node shutdown.\n[Login]\nInhibitDelayMaxSec=${seconds}\n`, {
        mode: 0o644,
      });
      await callBusctl(signal, 'call', ...systemd, 'KillUnit', 'ssi', 'systemd-logind.service', 'all', sigHup);
      for (let tries = 0; allowed < seconds && tries < reloadTries; tries++) {
        await clock.sleep(reloadPauseMs * 2 ** tries, signal);
        allowed = await allowedSeconds(signal);
      }
      if (allowed >= seconds) return;
      throw new NodeAgentError(
        nodeShutdownErrorCodes.logindUnavailable,
        `node shutdown manager was timed out after ${reloadTries} attempts waiting for logind InhibitDelayMaxSec to update to ${seconds}s (ShutdownGracePeriod), current value is ${allowed}s`,
        { retryable: true, hint: `does a file that sorts after ${configFile} set InhibitDelayMaxSec?` },
      );
    },
    // `cat` answers as soon as the lock is taken. It exits when its standard input closes, at the latest with this process.
    lock: () =>
      startProgram(
        systemdInhibit,
        ['--what=shutdown', '--mode=delay', '--who=kubelet', '--why=Kubelet needs time to handle node shutdown', 'cat'],
        'locked\n',
        () => {},
      ),
    isPreparing: async (signal) => parseBoolean(await property('PreparingForShutdown', signal)),
    monitor: (onSignal) =>
      startProgram(busctl, ['monitor', '--json=short', `--match=${announcements}`], '', (line) => {
        const isShuttingDown = preparesForShutdown(line);
        if (isShuttingDown !== undefined) onSignal(isShuttingDown);
      }),
  };
}
