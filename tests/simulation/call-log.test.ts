import { expect, it } from 'vitest';
import { boundOf } from './call-bounds.js';
import { CallLog } from './call-log.js';

const failing = () => Promise.reject(new Error('down'));

/** Makes the call each `periodMs` for ten minutes. */
async function callEach(periodMs: number, name: string, execute: () => Promise<unknown>): Promise<CallLog> {
  let nowMs = 0;
  const log = new CallLog(() => nowMs);
  for (; nowMs < 600_000; nowMs += periodMs) await log.observe({ name, object: 'a' }, execute).catch(() => {});
  return log;
}

it.each([
  ['cri createContainer', 10_000],
  ['volume setUp', 122_000],
  ['cri listContainers', 1_000],
])('allows %s to be repeated every %i ms', async (name, periodMs) => {
  expect((await callEach(periodMs, name, failing)).violations).toEqual([]);
});

it.each([
  ['cri createContainer', 5_000],
  ['volume setUp', 20_000],
  ['cri listContainers', 250],
])('reports %s that is repeated every %i ms', async (name, periodMs) => {
  const { violations } = await callEach(periodMs, name, failing);
  expect(violations[0]).toMatch(new RegExp(`^${name} of a: \\d+ calls within a minute, \\d+ failed$`));
});

it('allows calls that succeed to follow each other faster, but not without end', async () => {
  expect((await callEach(1_000, 'cri createContainer', async () => ({}))).violations).toEqual([]);
  expect((await callEach(100, 'cri createContainer', async () => ({}))).violations).not.toEqual([]);
});

it('counts a refusal of the API server as a failure, unless it states when to repeat the request', async () => {
  const later = { status: 429, headers: { 'retry-after': '1' } };
  expect((await callEach(1_000, 'api patch pods/status', async () => later)).violations).toEqual([]);
  expect((await callEach(1_000, 'api patch pods/status', async () => ({ status: 200 }))).violations).toEqual([]);
  expect((await callEach(1_000, 'api patch pods/status', async () => ({ status: 500 }))).violations).not.toEqual([]);
});

it('counts each object, and forgets the calls of the previous agent', async () => {
  const log = new CallLog(() => 0);
  const { burst } = boundOf({ name: 'volume setUp' });
  for (const object of ['a', 'b'])
    for (let i = 0; i < burst; i++) await log.observe({ name: 'volume setUp', object }, failing).catch(() => {});
  expect(log.rates()).toMatchObject([
    { object: 'a', calls: burst, failures: burst, perMinute: burst },
    { object: 'b', calls: burst },
  ]);
  log.clear();
  for (let i = 0; i < burst; i++) await log.observe({ name: 'volume setUp', object: 'a' }, failing).catch(() => {});
  expect(log.violations).toEqual([]);
});

it('returns from no call any more if no time passes, and reports it once', async () => {
  const log = new CallLog(() => 0);
  let calls = 0;
  const loop = async () => {
    for (;;) {
      calls++;
      await log.observe({ name: 'cri status', object: `${calls}` }, failing).catch(() => {});
    }
  };
  void loop();
  await new Promise((resolve) => setImmediate(setImmediate, resolve));
  expect(calls).toBe(10_001);
  expect(log.violations).toEqual(['no time passes: 10000 calls at once, the last one cri status of 10001']);
});

it('adds the reasons to repeat a call, and allows the short periods of a doubling one once', () => {
  expect(boundOf({ name: 'volume setUp' })).toEqual({ burst: 4 + 9, periodMs: expect.closeTo(122_000) });
  expect(boundOf({ name: 'api patch nodes/status' })).toEqual({ burst: 4 + 5 + 5, periodMs: 2_000 });
  expect(boundOf({ name: 'cri stopContainer' }).periodMs).toBeCloseTo(1 / (1 / 10_000 + 1 / 60_000));
});
