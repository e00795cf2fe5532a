import { describe, expect, it } from 'vitest';
import { excessWrites, formatTrace, linesOf, makeTrace, removalProblems, repeatProblems, type SeenCall } from './trace.js';

const writes = { status: 3, events: 4 };
const stop = (containerId: string, timeout = '5', at = 0) => ({ call: 'stopContainer', request: { containerId, timeout }, at });
const line = (containerId: string, timeout = '5') => ({ call: 'stopContainer', request: { containerId, timeout } });
const makeCalls = (...calls: SeenCall[]) => makeTrace({ calls, events: [], status: [], writes });

it('counts repeated calls, and has events and statuses once', () => {
  const trace = makeTrace({ calls: [stop('a'), stop('a'), stop('b')], events: ['b', 'a', 'b'], status: ['x', 'x', 'y', 'x'], writes });
  expect(trace).toEqual({
    calls: [{ ...line('a'), times: 2 }, line('b')],
    removals: { early: [], late: [], kept: [] },
    cutShort: 0,
    events: ['a', 'b'],
    status: ['x', 'y', 'x'],
    writes,
  });
});

it('distinguishes a failed call from a successful one, and counts those that were cut short', () => {
  const trace = makeCalls(stop('a'), { ...stop('a'), fails: true }, { ...stop('a'), fails: true, cutShort: true });
  expect(linesOf(trace, 'calls')).toEqual([
    'stopContainer {"containerId":"a","timeout":"5"}',
    'stopContainer {"containerId":"a","timeout":"5"} fails',
  ]);
  expect(trace.cutShort).toBe(1);
});

it('does not count commands that were cut short while a container stopped', () => {
  const probe = (at: number): SeenCall => ({ call: 'execSync', request: {}, at, fails: true, cutShort: true });
  expect(makeCalls(probe(1), stop('a', '5', 2), probe(3), probe(4)).cutShort).toBe(1);
});

it('accepts consecutive stops in any order, but not across another call', () => {
  const other = { call: 'stopPodSandbox', request: {}, at: 0 };
  expect(makeCalls(stop('b'), stop('a'), other)).toEqual(makeCalls(stop('a'), stop('b'), other));
  expect(makeCalls(stop('b'), other, stop('a'))).not.toEqual(makeCalls(stop('a'), other, stop('b')));
});

it('writes the timeout of a later stop as that of the first if it is exactly what remains of the grace period', () => {
  const timeouts = (...stops: SeenCall[]) => makeCalls(...stops).calls.map(({ request }) => (request as { timeout: string }).timeout);
  expect(timeouts(stop('a', '5', 0), stop('b', '4', 1_300), stop('c', '3', 2_050))).toEqual(['5', '5', '5']);
  expect(timeouts(stop('a', '5', 0), stop('b', '4', 300))).toEqual(['5', '4']);
  expect(timeouts(stop('a', '5', 0), stop('b', '5', 1_300))).toEqual(['5', '5']);
  expect(timeouts(stop('a', '5', 0), stop('b', '2', 1_300))).toEqual(['5', '2']);
});

describe('removals', () => {
  const create = { call: 'createContainer', request: { podSandboxId: 's' }, at: 0 };
  const stopSandbox = { call: 'stopPodSandbox', request: { podSandboxId: 's' }, at: 0 };
  const remove = (containerId: string) => ({ call: 'removeContainer', request: { containerId }, at: 0 });
  const removals = (...calls: SeenCall[]) => makeCalls(...calls).removals;

  it('are before or after the stop of the sandbox', () => {
    expect(removals(create, create, create, remove('<container1>'), stopSandbox, remove('<container2>'))).toEqual({
      early: ['<container1>'],
      late: ['<container2>'],
      kept: ['<container3>'],
    });
  });

  it('differ if a container is removed that a kubelet keeps, or one is left', () => {
    const expected = { early: ['<container1>'], late: ['<container2>'], kept: ['<container3>'] };
    const all = ['<container1>', '<container2>', '<container3>'];
    expect(removalProblems(expected, { early: all.slice(0, 2), late: all.slice(2), kept: [] })).toEqual([]);
    expect(removalProblems(expected, { early: all, late: [], kept: [] })).toEqual(['<container3> is removed before its sandbox stops']);
    expect(removalProblems(expected, { early: [], late: all.slice(1), kept: all.slice(0, 1) })).toEqual(['<container1> is left']);
  });
});

it('bounds repeated calls by twice and half of those of a kubelet', () => {
  const problems = (times: number) => repeatProblems([{ ...line('a'), times: 4 }], [{ ...line('a'), times }]);
  expect([problems(2), problems(8)]).toEqual([[], []]);
  expect(problems(9)).toEqual(['stopContainer {"containerId":"a","timeout":"5"} 9 times instead of 4']);
  expect(problems(1)).toHaveLength(1);
  expect(repeatProblems([], [{ ...line('a'), times: 9 }])).toEqual([]);
});

it('is written with one line per step, and read back the same', () => {
  const trace = makeTrace({ calls: [stop('a'), stop('b')], events: ['e'], status: [], writes });
  const text = formatTrace(trace);
  expect(JSON.parse(text)).toEqual(trace);
  expect(text.split('\n')).toContain('{"call":"stopContainer","request":{"containerId":"a","timeout":"5"}},');
});

it('reports excess writes', () => {
  expect(excessWrites(writes, { status: 4, events: 3 })).toEqual(['status 4 instead of 3']);
});
