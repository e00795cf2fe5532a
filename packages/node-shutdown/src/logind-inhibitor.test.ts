import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogindInhibitor } from './logind-inhibitor.js';
import { parseSeconds, preparesForShutdown } from './logind-messages.js';

/**
 * A stand-in for busctl that answers from files of its folder; tests append logind's signals to `signals`. It runs no `cat`, so that the only
 * `cat` is the lock's, which tests kill.
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
const announcement = (isShuttingDown: boolean) =>
  `${JSON.stringify({ type: 'signal', member: 'PrepareForShutdown', payload: { type: 'b', data: [isShuttingDown] } })}\n`;

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
const announce = (isShuttingDown: boolean) => put('signals', announcement(isShuttingDown), 'a');
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
  const received: string[] = [];
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
        received.push('shutdown');
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
      onCancelled: () => void received.push('cancelled'),
    },
    stop.signal,
  );
  ready.catch(() => {});
  /** Advances the clock from timer to timer, while the programs run in real time, until `holds` is true. */
  const passes = (holds: () => boolean) => expect.poll(async () => holds() || ((await clock.advanceToNext()) && holds())).toBe(true);
  return { clock, logger, received, ready, passes, stop: () => stop.abort(new Error('stopped')), finish: () => finish() };
}

describe('the logind inhibitor', () => {
  it('delays a shutdown from its announcement until the pods have terminated', async () => {
    const { ready, received, finish } = watched();
    await ready;
    expect(log().filter((line) => !line.startsWith('busctl monitor'))).toEqual([
      'busctl --timeout=10 get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager InhibitDelayMaxUSec',
      'locked',
      'busctl --timeout=10 get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager PreparingForShutdown',
    ]);
    expect(log().find((line) => line.startsWith('busctl monitor'))).toContain("sender='org.freedesktop.login1'");
    announce(true);
    await expect.poll(() => received).toEqual(['shutdown']);
    announce(true);
    expect(count('unlocked')).toBe(0);
    finish();
    await expect.poll(() => count('unlocked')).toBe(1);
    expect(received).toEqual(['shutdown']);
  });

  it('takes the lock again after a cancelled shutdown', async () => {
    const { ready, received, finish } = watched();
    await ready;
    announce(false);
    announce(true);
    await expect.poll(() => received).toEqual(['shutdown']);
    finish();
    await expect.poll(() => count('unlocked')).toBe(1);
    announce(false);
    await expect.poll(() => count('locked')).toBe(2);
    announce(true);
    await expect.poll(() => received).toEqual(['shutdown', 'cancelled', 'shutdown']);
    announce(false);
    await expect.poll(() => received.length).toBe(4);
    finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect([count('locked'), count('unlocked')]).toEqual([2, 1]);
  });

  it('reports a shutdown that was announced before it was connected', async () => {
    put('preparing', 'b true\n');
    const { ready, received } = watched();
    await ready;
    expect(received).toEqual(['shutdown']);
  });

  it("raises logind's limit to the shutdown grace period", async () => {
    put('delay', 't 5000000\n');
    const { ready, passes } = watched(45);
    await passes(() => count('locked') === 1);
    await ready;
    expect(readFileSync(join(folder, 'conf', '99-kubelet.conf'), 'utf8')).toContain('[Login]\nInhibitDelayMaxSec=45\n');
    expect(count('busctl --timeout=10 call org.freedesktop.systemd1')).toBe(1);
  });

  it('fails if logind does not raise its limit', async () => {
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

  it('reconnects when busctl exits or the lock is lost', async () => {
    const { ready, passes, logger, received } = watched();
    await ready;
    await killChild('tail');
    await passes(() => count('busctl monitor') === 2);
    expect(count('locked')).toBe(1);
    expect(JSON.stringify(logger.lines)).toContain('lost the connection to logind; reconnecting');
    await killChild('cat');
    await passes(() => count('locked') === 2 && count('busctl monitor') === 3);
    announce(true);
    await expect.poll(() => received).toEqual(['shutdown']);
  });

  it('releases the lock and ends busctl when its signal aborts', async () => {
    const { ready, stop, clock } = watched();
    await ready;
    stop();
    await expect.poll(() => count('unlocked')).toBe(1);
    await clock.settle();
    expect([clock.pending, count('busctl monitor')]).toEqual([0, 1]);
  });
});

describe('the logind inhibitor without', () => {
  it.each([
    ['a bus', () => rmSync(join(folder, 'delay')), 'Failed to connect to bus'],
    ['permission', () => put('refuse', ''), 'Failed to inhibit: Access denied'],
    ['busctl', () => rmSync(join(folder, 'busctl')), 'ENOENT'],
    ['systemd-inhibit', () => rmSync(join(folder, 'systemd-inhibit')), 'ENOENT'],
  ])('%s fails with the reason', async (_what, spoil, why) => {
    spoil();
    const { ready } = watched();
    await expect(ready).rejects.toMatchObject({ code: 'LogindUnavailable', retryable: true, message: expect.stringContaining(why) });
  });
});

it('parses the output of busctl', () => {
  expect(['t 5000000\n', 't 18446744073709551615', 's "x"', ''].map(parseSeconds)).toEqual([5, 18446744073709.55, 0, 0]);
  const lines = [announcement(true), announcement(false), 'Monitoring bus message stream.', '', '1', '{"type":"signal"}', '{"member":1}'];
  expect(lines.map(preparesForShutdown)).toEqual([true, false, ...Array(5).fill(undefined)]);
  const wrong = { type: 'signal', member: 'PrepareForShutdown', payload: { data: ['true'] } };
  expect(preparesForShutdown(JSON.stringify(wrong))).toBeUndefined();
});
