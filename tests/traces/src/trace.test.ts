import { expect, it } from 'vitest';
import { excessWrites, formatTrace, linesOf, makeTrace, type Trace } from './trace.js';

const writes = { status: 3, events: 4 };
const stop = (containerId: string) => ({ call: 'stopContainer', request: { containerId } });

it('counts repeated calls, events and statuses once', () => {
  const trace = makeTrace({ calls: [stop('a'), stop('a')], events: ['b', 'a', 'b'], status: ['x', 'x', 'y', 'x'], writes });
  expect(trace).toEqual({ calls: [stop('a')], events: ['a', 'b'], status: ['x', 'y', 'x'], writes });
});

it('distinguishes a failed call from a successful one', () => {
  const trace = makeTrace({ calls: [stop('a'), { ...stop('a'), fails: true }], events: [], status: [], writes });
  expect(linesOf(trace, 'calls')).toEqual(['stopContainer {"containerId":"a"}', 'stopContainer {"containerId":"a"} fails']);
});

it('accepts consecutive stops in any order, but not across another call', () => {
  const other = { call: 'stopPodSandbox', request: {} };
  const calls = (...order: Trace['calls']) => makeTrace({ calls: order, events: [], status: [], writes }).calls;
  expect(calls(stop('b'), stop('a'), other)).toEqual(calls(stop('a'), stop('b'), other));
  expect(calls(stop('b'), other, stop('a'))).not.toEqual(calls(stop('a'), other, stop('b')));
});

it('is written with one line per step, and read back the same', () => {
  const trace = makeTrace({ calls: [stop('a'), stop('b')], events: ['e'], status: [], writes });
  const text = formatTrace(trace);
  expect(JSON.parse(text)).toEqual(trace);
  expect(text.split('\n')).toContain('{"call":"stopContainer","request":{"containerId":"a"}},');
});

it('reports excess writes', () => {
  expect(excessWrites(writes, { status: 4, events: 3 })).toEqual(['status 4 instead of 3']);
});
