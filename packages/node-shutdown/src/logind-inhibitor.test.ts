import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogindInhibitor } from './logind-inhibitor.js';
import { parseSeconds, preparesForShutdown } from './logind-messages.js';

/**
 * Answers as the real one does, from files of its folder; `signals` grows by what logind announces. It runs no `cat`, so that the only `cat`
 * is the lock's, which tests kill.
 */
const busctl = `#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo "busctl $*" >> log
answer() { read -r line < "$1"; echo "$line"; }
case "$*" in
  monitor*) exec tail -n +1 -f signals ;;
  *InhibitDelayMaxUSec) [ -e delay ] || { echo "Failed to connect to bus" >&2; exit 1; }; answer delay ;;
  *PreparingForShutdown) answer preparing ;;
  *KillUnit*) [ -e deaf ] || sed -n 's/InhibitDelayMaxSec=\\(.*\\)/t \\1000000/p' conf/99-kubelet.conf > delay ;;
esac
`;
const systemdInhibit = `#!/bin/sh
cd "$(dirname "$0")" || exit 1
[ -e refuse ] && { echo "Failed to inhibit: Access denied" >&2; exit 1; }
for last; do :; done
echo locked >> log
$last
echo unlocked >> log
`;
const announcement = (goesDown: boolean) =>
  `${JSON.stringify({ type: 'signal', member: 'PrepareForShutdown', payload: { type: 'b', data: [goesDown] } })}\n`;

let folder: string;
const stops: AbortController[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logind-'));
  const programs = { busctl, 'systemd-inhibit': systemdInhibit };
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text, { mode: 0o755 });
  for (const [name, text] of Object.entries({ delay: 't 60000000\n', preparing: 'b false\n', signals: '', log: '' })) put(name, text);
});
afterEach(async () => {
  for (const stop of stops.splice(0)) stop.abort();
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

const put = (name: string, text: string, flag = 'w') => writeFileSync(join(folder, name), text, { flag });
const announce = (goesDown: boolean) => put('signals', announcement(goesDown), 'a');
const log = () => readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n');
const count = (line: string) => log().filter((each) => each.startsWith(line)).length;

/** Kills the child process of this test with that name, as if it had failed; waits until it runs. */
async function killChild(name: string): Promise<void> {
  const isOurs = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  };
  const find = () => readdirSync('/proc').filter((each) => /^\d+$/.test(each) && isOurs(each));
  await expect.poll(find).toHaveLength(1);
  process.kill(Number(find()[0]), 'SIGKILL');
}

function watched(seconds = 30) {
  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  const stop = new AbortController();
  stops.push(stop);
  const told: string[] = [];
  let finish: () => void = () => {};
  const inhibitor = createLogindInhibitor({
    busctl: join(folder, 'busctl'),
    systemdInhibit: join(folder, 'systemd-inhibit'),
    configFile: join(folder, 'conf', '99-kubelet.conf'),
    clock,
    logger,
  });
  const ready = inhibitor.watch(
    {
      seconds,
      onShutdown() {
        told.push('shutdown');
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
      onCancelled: () => void told.push('cancelled'),
    },
    stop.signal,
  );
  ready.catch(() => {});
  /** Goes from timer to timer while the programs run. */
  const passes = (holds: () => boolean) => expect.poll(async () => holds() || ((await clock.advanceToNext()) && holds())).toBe(true);
  return { clock, logger, told, ready, passes, stop: () => stop.abort(new Error('stopped')), finish: () => finish() };
}

describe('a machine with logind', () => {
  it('is held up from the announcement until the pods have ended', async () => {
    const { ready, told, finish } = watched();
    await ready;
    expect(log().filter((line) => !line.startsWith('busctl monitor'))).toEqual([
      'busctl --timeout=10 get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager InhibitDelayMaxUSec',
      'locked',
      'busctl --timeout=10 get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager PreparingForShutdown',
    ]);
    expect(log().find((line) => line.startsWith('busctl monitor'))).toContain("sender='org.freedesktop.login1'");
    announce(true);
    await expect.poll(() => told).toEqual(['shutdown']);
    announce(true);
    expect(count('unlocked')).toBe(0);
    finish();
    await expect.poll(() => count('unlocked')).toBe(1);
    expect(told).toEqual(['shutdown']);
  });

  it('is held up anew when it stays after all', async () => {
    const { ready, told, finish } = watched();
    await ready;
    announce(false);
    announce(true);
    await expect.poll(() => told).toEqual(['shutdown']);
    finish();
    await expect.poll(() => count('unlocked')).toBe(1);
    announce(false);
    await expect.poll(() => count('locked')).toBe(2);
    announce(true);
    await expect.poll(() => told).toEqual(['shutdown', 'cancelled', 'shutdown']);
    announce(false);
    await expect.poll(() => told.length).toBe(4);
    finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect([count('locked'), count('unlocked')]).toEqual([2, 1]);
  });

  it('that went down before anybody listened is known to do so', async () => {
    put('preparing', 'b true\n');
    const { ready, told } = watched();
    await ready;
    expect(told).toEqual(['shutdown']);
  });

  it('allows the time that is needed', async () => {
    put('delay', 't 5000000\n');
    const { ready, passes } = watched(45);
    await passes(() => count('locked') === 1);
    await ready;
    expect(readFileSync(join(folder, 'conf', '99-kubelet.conf'), 'utf8')).toContain('[Login]\nInhibitDelayMaxSec=45\n');
    expect(count('busctl --timeout=10 call org.freedesktop.systemd1')).toBe(1);
  });

  it('that allows no more time cannot be held up', async () => {
    put('delay', 't 5000000\n');
    put('deaf', '');
    const { ready, passes, clock } = watched(45);
    await passes(() => clock.monotonic() === 3_100);
    await expect(ready).rejects.toMatchObject({
      code: 'LogindUnavailable',
      message:
        'node shutdown manager was timed out after 5 attempts waiting for logind InhibitDelayMaxSec to update to 45s (ShutdownGracePeriod), current value is 5s',
    });
    expect(count('locked')).toBe(0);
  });

  it('is watched again when busctl ends or the lock is lost', async () => {
    const { ready, passes, logger, told } = watched();
    await ready;
    await killChild('tail');
    await passes(() => count('busctl monitor') === 2);
    expect(count('locked')).toBe(1);
    expect(JSON.stringify(logger.lines)).toContain('shutdowns of the machine are not watched; trying again');
    await killChild('cat');
    await passes(() => count('locked') === 2 && count('busctl monitor') === 3);
    announce(true);
    await expect.poll(() => told).toEqual(['shutdown']);
  });

  it('is let go with the signal', async () => {
    const { ready, stop, clock } = watched();
    await ready;
    stop();
    await expect.poll(() => count('unlocked')).toBe(1);
    await clock.settle();
    expect([clock.pending, count('busctl monitor')]).toEqual([0, 1]);
  });
});

describe('a machine without', () => {
  it.each([
    ['a bus', () => rmSync(join(folder, 'delay')), 'Failed to connect to bus'],
    ['the right to', () => put('refuse', ''), 'Failed to inhibit: Access denied'],
    ['busctl', () => rmSync(join(folder, 'busctl')), 'ENOENT'],
    ['systemd-inhibit', () => rmSync(join(folder, 'systemd-inhibit')), 'ENOENT'],
  ])('%s cannot be held up, and says why', async (_what, spoil, why) => {
    spoil();
    const { ready } = watched();
    await expect(ready).rejects.toMatchObject({ code: 'LogindUnavailable', retryable: true, message: expect.stringContaining(why) });
  });
});

it('reads what the programs print', () => {
  expect(['t 5000000\n', 't 18446744073709551615', 's "x"', ''].map(parseSeconds)).toEqual([5, 18446744073709.55, 0, 0]);
  const lines = [announcement(true), announcement(false), 'Monitoring bus message stream.', '', '1', '{"type":"signal"}', '{"member":1}'];
  expect(lines.map(preparesForShutdown)).toEqual([true, false, ...Array(5).fill(undefined)]);
  const wrong = { type: 'signal', member: 'PrepareForShutdown', payload: { data: ['true'] } };
  expect(preparesForShutdown(JSON.stringify(wrong))).toBeUndefined();
});
