import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ContainerStatus, RuntimeService } from '@nodeagent/cri-api';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogRotator } from './log-rotator.js';
import { nodeLogFiles } from './node-log-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'container-logs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the log files of the node', () => {
  it('keeps all lines that are written to a CRI log during rotations', async () => {
    const log = join(folder, '0.log');
    const open = () => openSync(log, 'a', 0o640);
    let handle = open();
    let written = 0;
    const write = (lines: number) => {
      for (const end = written + lines; written < end; written++) {
        writeSync(handle, `2026-01-01T00:00:00.000000000Z stdout F line ${written}\n`);
      }
    };
    const status = { state: 'CONTAINER_RUNNING', logPath: log } as ContainerStatus;
    const cri: Pick<RuntimeService, 'containerStatus' | 'reopenContainerLog'> = {
      containerStatus: async () => ({ status, info: {} }),
      reopenContainerLog: async () => {
        write(100);
        closeSync(handle);
        handle = open();
        return {};
      },
    };
    const clock = createVirtualClock();
    const rotator = createLogRotator({
      cri,
      runningContainers: () => ['c'],
      clock,
      files: nodeLogFiles,
      settings: { containerLogMaxSize: '64Ki' },
    });
    for (let round = 0; round < 4; round++) {
      write(2000);
      const rotating = rotator.rotateLogs();
      write(50);
      await rotating;
      await clock.advance(10_000);
    }
    closeSync(handle);

    const names = readdirSync(folder).sort();
    expect(names.map((name) => name.replace(/\d{8}-\d{6}/, 'TIME'))).toEqual([
      '0.log',
      ...Array.from({ length: 3 }, () => '0.log.TIME.gz'),
      '0.log.TIME',
    ]);
    const read = (name: string) => {
      const content = readFileSync(join(folder, name));
      return (name.endsWith('.gz') ? gunzipSync(content) : content).toString();
    };
    const lines = [...names.slice(1), '0.log'].map(read).join('').trimEnd().split('\n');
    expect(lines.map((line) => Number(line.split(' line ')[1]))).toEqual(Array.from({ length: written }, (_, line) => line));
    expect(names.map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual(names.map(() => 0o640));
  });

  it('distinguishes missing files from unreadable ones', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'four');
    expect(await nodeLogFiles.size(file)).toBe(4);
    expect(await nodeLogFiles.size(join(folder, 'none'))).toBeUndefined();
    expect(await nodeLogFiles.list(join(folder, 'none'))).toEqual([]);
    const loop = join(folder, 'loop');
    symlinkSync(loop, loop);
    await expect(nodeLogFiles.size(loop)).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('renames a file only if the target does not exist', async () => {
    const [from, to] = [join(folder, 'from'), join(folder, 'to')];
    writeFileSync(from, 'old');
    writeFileSync(to, 'new');
    expect(await nodeLogFiles.renameUnlessExists(from, to)).toBe(false);
    expect(readFileSync(to, 'utf8')).toBe('new');
    await nodeLogFiles.remove(to);
    expect(await nodeLogFiles.renameUnlessExists(from, to)).toBe(true);
    expect(readdirSync(folder)).toEqual(['to']);
  });

  it('refuses to compress a pipe, and replaces a link in the place of the compressed file', async () => {
    const [pipe, log, other, link] = ['pipe', 'log', 'other', 'link'].map((name) => join(folder, name)) as [string, string, string, string];
    execFileSync('mkfifo', [pipe]);
    await expect(nodeLogFiles.gzip(pipe, `${pipe}.gz`, new AbortController().signal)).rejects.toMatchObject({ code: 'NotRegularFile' });
    writeFileSync(log, 'line');
    writeFileSync(other, 'kept');
    symlinkSync(other, link);
    await nodeLogFiles.gzip(log, link, new AbortController().signal);
    expect(gunzipSync(readFileSync(link)).toString()).toBe('line');
    expect(readFileSync(other, 'utf8')).toBe('kept');
  });

  it('cancels a compression when its signal aborts', async () => {
    const from = join(folder, 'from');
    writeFileSync(from, 'x');
    const signal = AbortSignal.abort();
    await expect(nodeLogFiles.gzip(from, `${from}.tmp`, signal)).rejects.toMatchObject({ name: 'AbortError' });
  });
});
