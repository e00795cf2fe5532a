import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@nodeagent/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRuntime } from './open-runtime.js';

const processes = { type: 'process', text: '' } as const;

let rootDir: string;
beforeEach(() => {
  rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-open-'));
});
afterEach(() => rmSync(rootDir, { recursive: true, force: true }));

it('opens the embedded runtime in a separate directory, once', async () => {
  const opened = await openRuntime({ choice: processes, rootDir, hasDefaultNetwork: true }, silentLogger);
  expect(opened.name).toBe('embedded runtime');
  expect(await opened.services.runtime.version({ version: '' })).toMatchObject({ runtimeName: 'nodeagent-process' });
  await expect(openRuntime({ choice: processes, rootDir, hasDefaultNetwork: true }, silentLogger)).rejects.toMatchObject({
    code: 'RuntimeRootLocked',
  });
  await opened.close(true);
  await (await openRuntime({ choice: processes, rootDir, hasDefaultNetwork: true }, silentLogger)).close(false);
});

it('opens an external runtime that is not running yet; its calls fail with a hint', async () => {
  const endpoint = `unix://${join(rootDir, 'none.sock')}`;
  const opened = await openRuntime({ choice: { type: 'cri', endpoint }, rootDir, hasDefaultNetwork: true }, silentLogger);
  expect(opened.name).toBe(endpoint);
  await expect(opened.services.runtime.version({ version: '' })).rejects.toMatchObject({
    code: 'CRI_UNAVAILABLE',
    hint: expect.stringContaining('Start the container runtime'),
  });
  await opened.close(false);
});
