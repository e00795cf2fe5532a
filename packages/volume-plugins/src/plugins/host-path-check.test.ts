import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { nodeHostPathFiles } from './node-host-path-files.js';

it('creates a file, keeps an existing one, and fails at once for a pipe', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'host-path-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [missing, file, pipe] = ['missing', 'file', 'pipe'].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(file, 'kept');
  execFileSync('mkfifo', [pipe]);
  await nodeHostPathFiles.makeFile(missing);
  await nodeHostPathFiles.makeFile(file);
  expect([missing, file].map((path) => readFileSync(path, 'utf8'))).toEqual(['', 'kept']);
  await expect(nodeHostPathFiles.makeFile(pipe)).rejects.toMatchObject({ code: 'ENXIO' });
});
