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

/** What is asked of systemd's logind, by its own programs. Rejects with `LogindUnavailable`. */
export interface Logind {
  /** Lets locks hold up a shutdown for at least so many seconds. */
  allowDelay(seconds: number, signal: AbortSignal): Promise<void>;
  /** A delay lock for shutdowns, which is there once it has answered, and until it is closed. */
  lock(): RunningProgram;
  /** Whether the machine is going down already. */
  isPreparing(signal: AbortSignal): Promise<boolean>;
  /** Tells from now on that the machine goes down, or that it stays after all. */
  monitor(tell: (goesDown: boolean) => void): RunningProgram;
}

const login = { name: 'org.freedesktop.login1', path: '/org/freedesktop/login1', interface: 'org.freedesktop.login1.Manager' };
const systemd = ['org.freedesktop.systemd1', '/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager'];
/** Only logind's own: anybody may send signals on the system bus. */
const announcements = `type='signal',sender='${login.name}',path='${login.path}',interface='${login.interface}',member='PrepareForShutdown'`;
const sigHup = '1';
/** How often logind is asked whether it has read its configuration, and how long the first pause is, in milliseconds; each is twice the last. */
const reloadTries = 5;
const reloadPauseMs = 100;

export function createLogind({ busctl, systemdInhibit, configFile, clock }: LogindOptions): Logind {
  const ask = (signal: AbortSignal, ...args: string[]) => runProgram(busctl, ['--timeout=10', ...args], signal);
  const property = (name: string, signal: AbortSignal) => ask(signal, 'get-property', login.name, login.path, login.interface, name);
  const allowedSeconds = async (signal: AbortSignal) => parseSeconds(await property('InhibitDelayMaxUSec', signal));
  return {
    async allowDelay(seconds, signal) {
      let allowed = await allowedSeconds(signal);
      if (allowed >= seconds) return;
      await mkdir(dirname(configFile), { recursive: true, mode: 0o755 });
      await writeFile(configFile, `# Graceful node shutdown needs so much time.\n[Login]\nInhibitDelayMaxSec=${seconds}\n`, {
        mode: 0o644,
      });
      await ask(signal, 'call', ...systemd, 'KillUnit', 'ssi', 'systemd-logind.service', 'all', sigHup);
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
    // `cat` answers when it runs, which is when the lock is there. It ends with its standard input: with this process at the latest.
    lock: () =>
      startProgram(
        systemdInhibit,
        ['--what=shutdown', '--mode=delay', '--who=kubelet', '--why=Kubelet needs time to handle node shutdown', 'cat'],
        'locked\n',
        () => {},
      ),
    isPreparing: async (signal) => parseBoolean(await property('PreparingForShutdown', signal)),
    monitor: (tell) =>
      startProgram(busctl, ['monitor', '--json=short', `--match=${announcements}`], '', (line) => {
        const goesDown = preparesForShutdown(line);
        if (goesDown !== undefined) tell(goesDown);
      }),
  };
}
