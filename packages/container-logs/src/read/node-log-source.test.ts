import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLogReader } from './log-reader.js';
import { nodeLogSource } from './node-log-source.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-source-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const line = (text: string) => `2026-01-01T10:00:00Z stdout F ${text}\n`;

it('follows a log on disk, through a symbolic link and over a rotation', async () => {
  mkdirSync(join(folder, 'real'));
  const log = join(folder, 'real', '0.log');
  writeFileSync(log, line('first'));
  symlinkSync(log, join(folder, 'link.log'));
  let end = () => {};
  const whenEnded = new Promise<void>((resolve) => {
    end = resolve;
  });
  const steps = [
    () => appendFileSync(log, line('second')),
    () => {
      renameSync(log, `${log}.1`);
      appendFileSync(`${log}.1`, line('third'));
      writeFileSync(log, line('fourth'));
    },
    () => end(),
  ];
  let text = '';
  const reader = createLogReader({ clock: systemClock, source: nodeLogSource, followIntervalMs: 5 });
  for await (const { data } of reader.read(join(folder, 'link.log'), { follow: true, ended: () => whenEnded })) {
    text += Buffer.from(data).toString();
    if (text.endsWith('first\n') || text.endsWith('second\n') || text.endsWith('fourth\n')) steps.shift()?.();
  }
  expect(text).toBe('first\nsecond\nthird\nfourth\n');
});

it('fails at once if a pipe is in the place of a log, also of one that is followed over a rotation', async () => {
  const reader = createLogReader({ clock: systemClock, source: nodeLogSource, followIntervalMs: 5 });
  const pipe = join(folder, 'pipe.log');
  execFileSync('mkfifo', [pipe]);
  const readAll = async (path: string, follow: boolean) => {
    for await (const _ of reader.read(path, { follow })) replace();
  };
  let replace = () => {};
  await expect(readAll(pipe, false)).rejects.toMatchObject({
    code: 'LogUnavailable',
    message: `failed to open log file "${pipe}": ${pipe} is not a regular file`,
  });

  const log = join(folder, '0.log');
  writeFileSync(log, line('first'));
  replace = () => renameSync(pipe, log);
  await expect(readAll(log, true)).rejects.toMatchObject({ code: 'NotRegularFile' });
});
