import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createFolderTexts } from './folder-texts.js';

it('keeps texts in files that only their owner can read', async () => {
  const work = mkdtempSync(join(tmpdir(), 'cni-texts-'));
  onTestFinished(() => rmSync(work, { recursive: true }));
  const folder = join(work, 'cni/results');
  const texts = createFolderTexts(folder);
  expect([await texts.names(), await texts.read('a'), await texts.remove('a')]).toEqual([[], undefined, undefined]);
  await texts.write('a', 'one');
  await texts.write('a', 'two');
  expect([await texts.names(), await texts.read('a')]).toEqual([['a'], 'two']);
  expect([statSync(folder).mode & 0o777, statSync(join(folder, 'a')).mode & 0o777]).toEqual([0o700, 0o600]);
  // As a process that was killed while it wrote leaves one.
  writeFileSync(join(folder, 'a.tmp'), 'thr');
  await texts.remove('a');
  expect(await texts.names()).toEqual([]);
});
