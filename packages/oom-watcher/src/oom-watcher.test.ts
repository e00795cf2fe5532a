import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { createRecordingLogger, createRecordingRecorder } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { KernelLog } from './kernel-log.js';
import { parseKmsgRecord } from './kmsg-record.js';
import { linesOf } from './lines-of.js';
import type { Oom } from './next-oom.js';
import { createKernelLog } from './node-kernel-log.js';
import { createOomWatcher } from './oom-watcher.js';

const kill = ['java invoked oom-killer: gfp_mask=0x201da, order=0', 'Out of memory: Killed process 901 (java) total-vm:9kB'];

function watching(kernelLog: KernelLog) {
  const recorder = createRecordingRecorder();
  const logger = createRecordingLogger();
  const ooms: Oom[] = [];
  const watcher = createOomWatcher({ nodeName: 'n1', kernelLog, recorder, logger, onOom: (oom) => void ooms.push(oom) });
  return { watcher, recorder, logger, ooms };
}
const folder = () => mkdtempSync(join(tmpdir(), 'kmsg-'));

describe('createOomWatcher', () => {
  it('reports kills from a custom kernel log, with an event only for a system OOM', async () => {
    const container = ['x invoked oom-killer: ', 'Task in /a/b killed as a result of limit of /a', 'Killed process 7 (x) total-vm:1kB'];
    const { watcher, recorder, ooms } = watching({
      async open() {
        return (async function* () {
          yield* [...container, ...kill];
        })();
      },
    });
    await watcher.start();
    await expect.poll(() => ooms).toHaveLength(2);
    expect(recorder.events).toEqual([
      {
        object: { kind: 'Node', name: 'n1', uid: 'n1' },
        type: 'Warning',
        reason: 'SystemOOM',
        message: 'System OOM encountered, victim process: java, pid: 901',
      },
    ]);
    await watcher.stop();
  });

  it('fails to start without a kernel log, which it leaves to its caller to log, and can be started later', async () => {
    let isThere = false;
    const { watcher, recorder, logger } = watching({
      async open() {
        if (!isThere) throw new Error('no log');
        return (async function* () {
          yield* kill;
        })();
      },
    });
    await expect(watcher.start()).rejects.toThrow('no log');
    expect(logger.lines).toEqual([]);
    isThere = true;
    await watcher.start();
    await expect.poll(() => recorder.lines).toHaveLength(1);
  });

  it('resolves its start if it is stopped while the log is being opened', async () => {
    const { watcher, logger } = watching({
      open: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    const started = watcher.start();
    await watcher.stop();
    await started;
    expect(logger.lines).toEqual([]);
  });

  it('logs a warning when reading the log fails', async () => {
    const { watcher, logger } = watching({
      async open() {
        // biome-ignore lint/correctness/useYield: it breaks before the first message
        return (async function* () {
          throw new Error('the log broke');
        })();
      },
    });
    await watcher.start();
    await expect.poll(() => logger.texts().join()).toContain('the log broke');
  });

  it.each([
    ['nodeName', { nodeName: '' }],
    ['kernelLog', { kernelLog: {} as never }],
  ])('refuses a wrong %s', (field, wrong) => {
    const right = { nodeName: 'n1', kernelLog: createKernelLog({ clock: systemClock }) };
    expect(() => createOomWatcher({ ...right, ...wrong })).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});

describe('createKernelLog', () => {
  it('reports messages as they are written, and ends its child process when stopped', async () => {
    const path = join(folder(), 'kmsg');
    execFileSync('mkfifo', [path]);
    const { watcher, recorder, logger } = watching(createKernelLog({ clock: systemClock, path }));
    await watcher.start();
    const writer = await open(path, 'w');
    await writer.write(`4,10,1000,-;${kill[0]}\n SUBSYSTEM=memory\n4,11,1001,-;${kill[1]}\n`);
    await expect.poll(() => recorder.lines).toHaveLength(1);
    await watcher.stop();
    await watcher.stop();
    await writer.close();
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('stops without a further message while the log is being opened', async () => {
    const path = join(folder(), 'kmsg');
    execFileSync('mkfifo', [path]);
    const { watcher, logger } = watching(createKernelLog({ clock: systemClock, path }));
    await watcher.start();
    const stopped = watcher.stop();
    // Opening a FIFO for reading blocks until it has a writer.
    const writer = await open(path, 'r+');
    await stopped;
    await writer.close();
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('omits messages from before it was opened', async () => {
    const path = join(folder(), 'kmsg');
    writeFileSync(path, `4,10,1000,-;${kill[0]}\n4,11,1001,-;${kill[1]}\n`);
    const end = new AbortController();
    const messages = await createKernelLog({ clock: systemClock, path }).open(end.signal);
    writeFileSync(path, `4,11,1001,-;old\n4,12,1002,-;new\n`);
    const { value } = await messages[Symbol.asyncIterator]().next();
    end.abort();
    expect(value).toBe('new');
  });

  it('fails with a hint if the log is missing or unreadable', async () => {
    const { signal } = new AbortController();
    const missing = createKernelLog({ clock: systemClock, path: join(folder(), 'none') }).open(signal);
    await expect(missing).rejects.toMatchObject({ code: 'KernelLogUnavailable', hint: expect.stringContaining('must exist') });
    const path = join(folder(), 'kmsg');
    writeFileSync(path, '');
    chmodSync(path, 0);
    // Root can read it regardless of its mode.
    if (process.getuid?.() === 0) return;
    const forbidden = createKernelLog({ clock: systemClock, path }).open(signal);
    await expect(forbidden).rejects.toMatchObject({ code: 'KernelLogUnavailable', hint: expect.stringContaining('CAP_SYSLOG') });
  });
});

it('parses records of the kernel and ignores continuation lines', () => {
  expect(parseKmsgRecord('6,339,5140900,-,caller=T1;NET: Registered; done')).toEqual({ sequence: 339, message: 'NET: Registered; done' });
  expect(parseKmsgRecord(' SUBSYSTEM=acpi')).toBeUndefined();
});

it('joins lines from chunks, and drops one that is too long', async () => {
  const pieces = ['a\nb', 'c\n', 'x'.repeat(70_000), 'y\nd\nrest'];
  const lines: string[] = [];
  for await (const line of linesOf(pieces as never)) lines.push(line);
  expect(lines).toEqual(['a', 'bc', 'd']);
});
