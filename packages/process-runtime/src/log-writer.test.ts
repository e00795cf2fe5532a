import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLog } from './log-writer.js';

it('fails at once if a pipe is in the place of the log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-writer-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const pipe = join(folder, '0.log');
  execFileSync('mkfifo', [pipe]);
  await expect(openLog(pipe, () => {})).rejects.toMatchObject({ code: 'ENXIO' });
});
