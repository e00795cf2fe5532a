import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createCheckpointFile } from './checkpoint-file.js';
import { openRegularFile, readRegularFile } from './regular-file.js';

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'regular-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('reads a file, also through a link', async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'file'), 'text');
  symlinkSync('file', join(folder, 'link'));
  expect(await readRegularFile(join(folder, 'link'))).toBe('text');
  await expect(openRegularFile(join(folder, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('rejects a pipe, a device and a folder at once, ten pipes in more calls than Node has threads for files', async () => {
  const folder = tempFolder();
  const pipes = Array.from({ length: 10 }, (_, number) => join(folder, `pipe-${number}`));
  execFileSync('mkfifo', pipes);
  for (const path of [...pipes, '/dev/zero', folder]) {
    await expect(readRegularFile(path)).rejects.toMatchObject({ code: 'NotRegularFile', details: { path } });
  }
  const checkpoint = createCheckpointFile({ path: pipes[0] ?? '', encode: String, decode: String });
  await expect(checkpoint.load()).rejects.toMatchObject({ code: 'NotRegularFile' });
});
