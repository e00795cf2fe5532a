import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRegularFile, removeTree } from '@nodeagent/api/files';
import { createLogReader } from '@nodeagent/container-logs';
import { nodeLogSource } from '@nodeagent/container-logs/node';
import { createVolumeMeter } from '@nodeagent/mount-utils';
import { createFileSource } from '@nodeagent/pod-sources/node';
import { expect, it, onTestFinished } from 'vitest';

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'attack-'));
  onTestFinished(() => void execFileSync('rm', ['-rf', folder]));
  return folder;
}

/** More pipes than Node has threads for files. */
function makePipes(folder: string): string[] {
  const pipes = Array.from({ length: 12 }, (_, each) => join(folder, `${each}.yaml`));
  execFileSync('mkfifo', pipes);
  return pipes;
}

async function readLog(path: string): Promise<string> {
  let text = '';
  for await (const { data } of createLogReader({ source: nodeLogSource }).read(path)) text += Buffer.from(data).toString();
  return text;
}

it('pipes in the place of logs, state files and manifests hold no thread', async () => {
  const folder = tempFolder();
  const pipes = makePipes(folder);
  const logs = await Promise.allSettled(pipes.map(readLog));
  const states = await Promise.allSettled(pipes.map(readRegularFile));
  for (const result of [...logs, ...states]) {
    expect(result).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('is not a regular file') } });
  }
  const source = createFileSource({ path: folder, nodeName: 'n' });
  const listed = new Promise((resolve) => {
    source.onPods = resolve;
  });
  await source.start();
  expect(await listed).toEqual([]);
  await source.stop();
  // A thread that a pipe held would be missing here.
  await Promise.all(Array.from({ length: 8 }, () => stat('/')));
});

it('a log that is exchanged for a link to another file shows none of its content', async () => {
  const folder = tempFolder();
  const [log, next, secret] = ['0.log', 'next', 'shadow'].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(secret, 'root:secret\n');
  for (let round = 0; round < 50; round++) {
    symlinkSync(secret, next);
    renameSync(next, log);
    await expect(readLog(log)).rejects.toSatisfy((error) => !/secret/.test(JSON.stringify([String(error), error])));
    unlinkSync(log);
  }
});

it('a volume whose names no path can hold is read and removed', async () => {
  const root = tempFolder();
  const volume = join(root, 'volume');
  mkdirSync(volume);
  let handle = await open(volume);
  for (let level = 0; level < 120; level++) {
    const child = `/proc/self/fd/${handle.fd}/${'d'.repeat(100)}`;
    mkdirSync(child);
    const inner = await open(child);
    await handle.close();
    handle = inner;
  }
  writeFileSync(`/proc/self/fd/${handle.fd}/hidden`, Buffer.alloc(5 << 20));
  await handle.close();
  const { usedBytes = 0n } = await createVolumeMeter().folder(volume, new AbortController().signal);
  expect(usedBytes).toBeGreaterThanOrEqual(BigInt(5 << 20));
  await removeTree(volume);
  expect(readdirSync(root)).toEqual([]);
});
