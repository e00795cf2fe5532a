import { setMaxListeners } from 'node:events';
import { appendFileSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@nodeagent/api';
import { createLogReader, type LogReadOptions } from '@nodeagent/container-logs';
import { nodeLogSource } from '@nodeagent/container-logs/node';

const gigabyte = 1_000_000_000;
const textLength = 100;
const followers = 50;
const followedSeconds = 5;
const writesPerSecond = 100;

const reader = createLogReader({ clock: systemClock, source: nodeLogSource });

/** Reading one large log in different ways, and many readers of a log that grows. */
export async function benchLogs(report: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-logs-'));
  try {
    const path = join(folder, '0.log');
    const bytes = writeLog(path, gigabyte);
    for (const [name, options] of cases) {
      let read = 0;
      const { cpu, wall } = await cpuOf(async () => {
        read = (await time(path, options)).read;
      });
      report(`logs 1 GB ${name}, ${read} bytes out: ${(bytes / 1_000 / wall).toFixed(0)} MB/s`);
      report(`logs 1 GB ${name}: ${(bytes / 1_000 / cpu).toFixed(0)} MB a CPU second`);
    }
    for (const tailLines of [10, 100_000]) {
      const { milliseconds, read } = await time(path, { tailLines });
      report(`logs 1 GB tail ${tailLines}, ${read} bytes out: ${milliseconds.toFixed(3)} ms`);
    }
    report(`logs ${followers} followers of 1 MB/s: ${(await followCost(join(folder, '1.log'))).toFixed(1)} % of a core`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const cases: [name: string, options: LogReadOptions][] = [
  ['whole', {}],
  ['with timestamps', { timestamps: true }],
  ['since its end', { since: '2026-02-01T00:00:00Z' }],
];

function line(number: number): string {
  const nanos = String((number * 7_919) % 1_000_000_000).padStart(9, '0');
  return `2026-01-01T10:00:00.${nanos}Z stdout F ${String(number).padEnd(textLength, 'x')}\n`;
}

function writeLog(path: string, size: number): number {
  const block = Buffer.from(Array.from({ length: 10_000 }, (_, number) => line(number)).join(''));
  const file = openSync(path, 'w');
  let written = 0;
  while (written < size) written += writeSync(file, block);
  closeSync(file);
  return written;
}

async function time(path: string, options: LogReadOptions): Promise<{ milliseconds: number; read: number }> {
  const start = performance.now();
  let read = 0;
  for await (const { data } of reader.read(path, options)) read += data.length;
  return { milliseconds: performance.now() - start, read };
}

/** CPU of following in percent of a core, without the writing of the log. */
async function followCost(path: string): Promise<number> {
  const block = Buffer.from(Array.from({ length: Math.round(1_000_000 / writesPerSecond / line(0).length) }, (_, i) => line(i)).join(''));
  const write = async () => {
    for (let count = 0; count < followedSeconds * writesPerSecond; count++) {
      appendFileSync(path, block);
      await sleep(1_000 / writesPerSecond);
    }
  };
  appendFileSync(path, '');
  const alone = await cpuOf(write);
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const following = Array.from({ length: followers }, async () => {
    let read = 0;
    const chunks = reader.read(path, { follow: true, tailLines: 0, signal: controller.signal });
    try {
      for await (const { data } of chunks) read += data.length;
    } catch (error) {
      if (error !== controller.signal.reason) throw error;
    }
    return read;
  });
  const together = await cpuOf(write);
  await sleep(500);
  controller.abort(new Error('enough'));
  const least = Math.min(...(await Promise.all(following)));
  if (least === 0) throw new Error('a follower got nothing');
  return ((together.cpu - alone.cpu) / together.wall) * 100;
}

/** Milliseconds of processor time that this process took, and of the clock. */
async function cpuOf(run: () => Promise<void>): Promise<{ cpu: number; wall: number }> {
  const [before, start] = [process.cpuUsage(), performance.now()];
  await run();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1_000, wall: performance.now() - start };
}
