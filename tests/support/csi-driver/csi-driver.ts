import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CsiCall, CsiFault } from '@nodeagent/csi/test-driver';
import { until } from '../until.js';
import type { DriverCommand } from './csi-driver-process.js';

const program = fileURLToPath(new URL('./csi-driver-process.ts', import.meta.url));

/** The CSI test driver as a separate process, which bind-mounts its folders where a real one mounts disks. */
export interface CsiDriverProcess {
  readonly calls: readonly CsiCall[];
  /** Makes the next call of the method fail. */
  fail(method: CsiCall['method'], fault: CsiFault): void;
  /** Ends it as a crash does: sockets stay, and what is mounted too. */
  kill(): Promise<void>;
  /** Starts it after a crash, on sockets of other names. */
  restart(): Promise<void>;
  /** A volume's content. */
  read(volumeId: string, file: string): string;
}

/** `folder` keeps the driver's volumes, `rootDir` is that of the agent with which it registers. */
export async function startCsiDriver(name: string, folder: string, rootDir: string): Promise<CsiDriverProcess> {
  const calls: CsiCall[] = [];
  let child: ChildProcess;
  let starts = 0;

  async function start(): Promise<void> {
    const at = (generation: number) => join(rootDir, 'plugins_registry', `${name}-${generation}-reg.sock`);
    // As a driver's registrar does: a remaining socket of an earlier one would be a stale registration.
    rmSync(at(starts), { force: true });
    starts++;
    const args = [name, folder, at(starts), join(folder, `csi-${starts}.sock`)];
    child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    let isServing = false;
    child.on('message', (message: CsiCall | { method: 'started' }) => {
      if (message.method === 'started') isServing = true;
      else calls.push(message);
    });
    await until('the CSI driver to serve', async () => {
      if (child.exitCode !== null) throw new Error(`the CSI driver ended with ${child.exitCode}`);
      return isServing;
    });
  }

  const driver: CsiDriverProcess = {
    calls,
    fail(method, fault) {
      child.send({ fail: [method, fault] } satisfies DriverCommand);
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    },
    restart: start,
    read: (volumeId, file) => readFileSync(join(folder, 'volumes', volumeId, file), 'utf8'),
  };
  await start();
  return driver;
}
