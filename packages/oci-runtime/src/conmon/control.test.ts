import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock, type VirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMonitorControl, type MonitorControl } from './control.js';

describe('the commands to conmon', () => {
  let bundle: string;
  let pipe: number;
  let clock: VirtualClock;
  let control: MonitorControl;
  beforeEach(() => {
    bundle = mkdtempSync(join(tmpdir(), 'control-'));
    execFileSync('mkfifo', [join(bundle, 'ctl')]);
    pipe = openSync(join(bundle, 'ctl'), constants.O_RDWR | constants.O_NONBLOCK);
    clock = createVirtualClock();
    control = createMonitorControl(clock);
  });
  afterEach(() => {
    closeSync(pipe);
    rmSync(bundle, { recursive: true });
  });

  /** What conmon would read at once. */
  const received = () => {
    const buffer = Buffer.alloc(4096);
    try {
      return buffer.toString('utf8', 0, readSync(pipe, buffer));
    } catch {
      return '';
    }
  };
  /** Advances the clock, and counts the commands, until the promise is settled. */
  const countUntil = async (settled: Promise<void>) => {
    let isSettled = false;
    let commands = 0;
    const done = () => {
      isSettled = true;
    };
    settled.then(done, done);
    while (!isSettled) {
      await clock.advance(50);
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (received() === '2 0 0\n') commands++;
    }
    return commands;
  };

  it('are sent one by one, the last of several sizes, and that again after a second', async () => {
    const sizes = [99, 100, 101].map((Width) => control.resizeTerminal(bundle, { Width, Height: 31 }));
    await Promise.all(sizes);
    const path = join(bundle, '0.log');
    const reopened = control.reopenLog(bundle, path);
    writeFileSync(path, '');
    expect(received()).toBe('1 31 101\n');
    await clock.advance(20);
    await reopened;
    expect(received()).toBe('2 0 0\n');
    await clock.advance(1_000);
    await expect.poll(received).toBe('1 31 101\n');
    await clock.advance(10_000);
    expect(received()).toBe('');
  });

  it('reopen a log each second until another file is there, for five seconds', async () => {
    const path = join(bundle, '0.log');
    writeFileSync(path, '');
    writeFileSync(`${path}.tmp`, '');
    const reopened = control.reopenLog(bundle, path);
    void clock.sleep(2_500).then(() => renameSync(`${path}.tmp`, path));
    expect(await countUntil(reopened)).toBe(3);
    await reopened;
    const missing = control.reopenLog(bundle, join(bundle, 'missing'));
    const commands = await countUntil(missing);
    await expect(missing).rejects.toMatchObject({ code: 'CRI_UNKNOWN', message: expect.stringContaining('within 5000 ms') });
    expect([5, 6]).toContain(commands);
  });

  it('fail if conmon does not run', async () => {
    rmSync(join(bundle, 'ctl'));
    await expect(control.reopenLog(bundle, bundle)).rejects.toThrow('conmon does not read');
    await clock.advance(20);
    await expect(control.resizeTerminal(bundle, { Width: 1, Height: 1 })).rejects.toThrow('conmon does not read');
  });
});
