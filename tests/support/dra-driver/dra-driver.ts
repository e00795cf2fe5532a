import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DraDriverCall, TestHealth } from '@nodeagent/dra-manager/test-driver';
import { until } from '../until.js';

const program = fileURLToPath(new URL('./dra-driver-process.ts', import.meta.url));

/** The DRA test driver as a separate process. */
export interface DraDriverProcess {
  readonly calls: readonly DraDriverCall[];
  /** Reports the health of its devices, of which it initially has none. */
  setHealth(health: TestHealth): void;
  /** Ends it as a crash does: its sockets stay. */
  kill(): Promise<void>;
  /** Starts it after a crash, on sockets of other names. */
  restart(): Promise<void>;
}

/** Starts the driver; `rootDir` is that of the agent with which it registers. */
export async function startDraDriver(name: string, rootDir: string): Promise<DraDriverProcess> {
  const calls: DraDriverCall[] = [];
  let child: ChildProcess;
  let starts = 0;

  async function start(): Promise<void> {
    const registrationOf = (generation: number) => join(rootDir, 'plugins_registry', `${name}-${generation}-reg.sock`);
    // As a driver does after a crash: a remaining socket would be a stale registration.
    rmSync(registrationOf(starts), { force: true });
    starts++;
    const args = [name, registrationOf(starts), join(rootDir, 'plugins', name, `dra-${starts}.sock`)];
    child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    let isServing = false;
    child.on('message', (message: DraDriverCall | 'started') => {
      if (message === 'started') isServing = true;
      else calls.push(message);
    });
    await until('the DRA driver to serve', async () => {
      if (child.exitCode !== null) throw new Error(`the DRA driver ended with ${child.exitCode}`);
      return isServing;
    });
  }

  await start();
  return {
    calls,
    setHealth: (health) => void child.send(health),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    },
    restart: start,
  };
}
