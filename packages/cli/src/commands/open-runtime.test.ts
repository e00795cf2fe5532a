import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@nodeagent/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRuntime } from './open-runtime.js';

const processes = { type: 'process', text: '' } as const;

const oci = { hasDefaultNetwork: true };
let rootDir: string;
beforeEach(() => {
  rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-open-'));
});
afterEach(() => rmSync(rootDir, { recursive: true, force: true }));

it('opens the embedded runtime in a separate directory, once', async () => {
  const opened = await openRuntime({ choice: processes, rootDir, oci }, silentLogger);
  expect(opened.name).toBe('embedded runtime');
  expect(await opened.services.runtime.version({ version: '' })).toMatchObject({ runtimeName: 'nodeagent-process' });
  await expect(openRuntime({ choice: processes, rootDir, oci }, silentLogger)).rejects.toMatchObject({
    code: 'RuntimeRootLocked',
  });
  await opened.close(true);
  await (await openRuntime({ choice: processes, rootDir, oci }, silentLogger)).close(false);
});

it('opens an external runtime that is not running yet; its calls fail with a hint', async () => {
  const endpoint = `unix://${join(rootDir, 'none.sock')}`;
  const opened = await openRuntime({ choice: { type: 'cri', endpoint }, rootDir, oci }, silentLogger);
  expect(opened.name).toBe(endpoint);
  await expect(opened.services.runtime.version({ version: '' })).rejects.toMatchObject({
    code: 'CRI_UNAVAILABLE',
    hint: expect.stringContaining('Start the container runtime'),
  });
  await opened.close(false);
});

it.runIf(process.getuid?.() === 0)('gives the handlers and the cgroup driver to the OCI runtime', async () => {
  const program = join(rootDir, 'crun');
  writeFileSync(program, '#!/bin/sh\necho crun version 1.8.1\n', { mode: 0o755 });
  const choice = { type: 'oci', program, title: 'crun', text: '' } as const;
  const open = (more: object) => openRuntime({ choice, rootDir, oci: { ...oci, ...more } }, silentLogger);
  await expect(open({ handlers: { kata: { path: '/no/such/kata' } } })).rejects.toThrow('needs the program /no/such/kata');
  if (!existsSync('/run/systemd/system')) await expect(open({ cgroupDriver: 'systemd' })).rejects.toThrow('driver systemd');
});
