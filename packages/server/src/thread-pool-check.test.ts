import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createThreadPoolCheck } from './thread-pool-check.js';

it('passes while a file operation completes', async () => {
  const clock = createVirtualClock();
  const check = createThreadPoolCheck(clock);
  expect(await Promise.all([check(), check()])).toEqual([{ name: 'threadpool' }, { name: 'threadpool' }]);
  expect(clock.pending).toBe(0);
});

it('fails while pipes hold all threads for files, and passes when they are free again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'thread-pool-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4);
  const clock = createVirtualClock();
  const check = createThreadPoolCheck(clock);
  const blocked = Array.from({ length: threads }, () => open(pipe, 'r'));
  const [first, second] = [check(), check()];
  await clock.advance(3_000);
  const error = 'a file operation did not complete within 3 s: all threads for files are in use';
  expect(await Promise.all([first, second])).toEqual([
    { name: 'threadpool', error },
    { name: 'threadpool', error },
  ]);

  // A writer of the pipe ends the opens.
  const writer = openSync(pipe, constants.O_RDWR);
  await Promise.all((await Promise.all<FileHandle>(blocked)).map((handle) => handle.close()));
  expect(await check()).toEqual({ name: 'threadpool' });
  expect(clock.pending).toBe(0);
  closeSync(writer);
  rmSync(folder, { recursive: true });
});
