import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@nodeagent/api';
import { createRecordingLogger } from '@nodeagent/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lockRuntime } from './runtime-lock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeagent-runtime-'));
  mkdirSync(join(folder, 'run'));
  symlinkSync('run', join(folder, 'link'));
  if (process.getuid?.() !== 0) vi.stubEnv('XDG_RUNTIME_DIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const noKubelets = () => [];
const lock = (name: string) => lockRuntime(`unix://${folder}/${name}`, silentLogger, noKubelets);

it('rejects a second agent on the same socket, however it is spelled, until the lock is released', async () => {
  const unlock = await lock('run/a.sock');
  await expect(lock('link/a.sock')).rejects.toMatchObject({
    code: 'RUNTIME_IN_USE',
    message: `--runtime-endpoint: unix://${folder}/link/a.sock is in use by another agent, process ${process.pid}`,
  });
  (await lock('run/b.sock'))();
  unlock();
  (await lock('link/a.sock'))();
});

it('rejects an agent on the runtime of a kubelet', async () => {
  const kubelet = { pid: 7, cgroupRoot: '/', rootDir: '/var/lib/kubelet', runtimeEndpoint: `unix://${folder}/link/a.sock` };
  const lockBeside = (name: string) => lockRuntime(`${folder}/run/${name}`, silentLogger, () => [kubelet]);
  await expect(lockBeside('a.sock')).rejects.toThrow(`--runtime-endpoint: ${folder}/run/a.sock is in use by a kubelet, process 7`);
  (await lockBeside('b.sock'))();
});

it.runIf(process.getuid?.() !== 0)('logs that it cannot lock', async () => {
  writeFileSync(`${folder}/file`, '');
  vi.stubEnv('XDG_RUNTIME_DIR', `${folder}/file`);
  const logger = createRecordingLogger();
  (await lockRuntime(`unix://${folder}/run/a.sock`, logger, noKubelets))();
  expect(logger.messages('warn')).toEqual(['cannot lock the runtime: a second agent on it is not refused']);
});
