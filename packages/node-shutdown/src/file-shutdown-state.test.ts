import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFileShutdownState } from './file-shutdown-state.js';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'shutdown-state-')), 'graceful_node_shutdown_state');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true }));

it('reports no shutdown for a file without a start time', async () => {
  writeFileSync(path, '{"startTime":"0001-01-01T00:00:00Z","endTime":"0001-01-01T00:00:00Z"}');
  expect(await createFileShutdownState(path).load()).toBeUndefined();
});

it.each(['{', 'null'])('sets a damaged file aside: %s', async (text) => {
  writeFileSync(path, text);
  const state = createFileShutdownState(path);
  await expect(state.load()).rejects.toMatchObject({ code: 'InvalidCheckpoint', details: { path, setAside: `${path}.broken` } });
  expect(readFileSync(`${path}.broken`, 'utf8')).toBe(text);
  expect(await state.load()).toBeUndefined();
});
