import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';
import type { RunCommand } from './handlers/exec.js';
import { createProbeManager, type ProbeManagerOptions } from './probe-manager.js';

/** A manager of exec probes, which fail for the targets in `failing`; `results` has the reported results. */
function setUp(options: ProbeManagerOptions = {}) {
  const clock = createVirtualClock();
  const results: string[] = [];
  const failing = new Set<string>();
  const probes = createProbeManager({
    clock,
    onResult: ({ name, result, attempt }) => results.push(`${name} ${result} ${attempt.output}`),
    ...options,
  });
  const exec: RunCommand = async ([name = '']) => ({
    exitCode: failing.has(name) ? 1 : 0,
    stdout: `${name} at ${clock.monotonic()}`,
    stderr: '',
  });
  const add = (name: string, more = {}) => probes.add(name, { exec: { command: [name] }, ...more }, { host: '', exec });
  return { clock, results, failing, probes, exec, add };
}

it('reports first and changed results according to the thresholds', async () => {
  const { clock, results, failing, probes, add } = setUp();
  add('a');
  add('b', { initialDelaySeconds: 12, successThreshold: 2 });
  expect(probes.result('a')).toBeUndefined();
  await clock.advance(30_000);
  expect(results.splice(0)).toEqual(['a Success a at 0', 'b Success b at 30000']);
  failing.add('a');
  await clock.advance(20_000);
  expect([probes.result('a'), results.length]).toEqual(['Success', 0]);
  await clock.advance(10_000);
  expect([probes.result('a'), results.splice(0)]).toEqual(['Failure', ['a Failure a at 60000']]);
  failing.clear();
  probes.probeNow('a');
  await clock.settle();
  expect(results.splice(0)).toEqual(['a Success a at 60000']);
  probes.remove('a');
  probes.remove('a');
  expect(probes.result('a')).toBeUndefined();
  await probes.stop();
  await probes.stop();
  expect(clock.pending).toBe(0);
});

it('limits concurrent probes, counts missed ticks, and aborts running probes when it stops', async () => {
  const { clock, results, probes } = setUp({ maxConcurrentProbes: 3 });
  let running = 0;
  let maxRunning = 0;
  const slow: RunCommand = async (_, { signal }) => {
    maxRunning = Math.max(maxRunning, ++running);
    await clock.sleep(1_000, signal).finally(() => running--);
    return { exitCode: 0, stdout: '', stderr: '' };
  };
  for (let i = 0; i < 9; i++) probes.add(`${i}`, { exec: {}, periodSeconds: 1 }, { host: '', exec: slow });
  await clock.advance(30_500);
  expect([maxRunning, results.length]).toEqual([3, 9]);
  expect(probes.missedTicks).toBeGreaterThan(100);
  await probes.stop();
  expect([running, clock.pending]).toEqual([0, 0]);
});

it('rejects invalid probes and options', () => {
  const { add, probes } = setUp();
  add('a');
  expect(() => add('a')).toThrow(expect.objectContaining({ code: 'TargetExists' }));
  expect(() => probes.add('b', {}, { host: '' })).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field: 'probe' } }));
  expect(() => add('b', { periodSeconds: 0 })).toThrow('probe.periodSeconds');
  expect(() => add('b', { initialDelaySeconds: -1 })).toThrow('probe.initialDelaySeconds');
  expect(() => createProbeManager({ maxConcurrentProbes: 0.5 })).toThrow('maxConcurrentProbes');
  return probes.stop();
});

it('probes a real server in real time', async () => {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const results: string[] = [];
  const probes = createProbeManager({ onResult: ({ result }) => results.push(result) });
  onTestFinished(() => probes.stop());
  probes.add('server', { tcpSocket: { port }, periodSeconds: 0.02, failureThreshold: 1 }, { host: '127.0.0.1' });
  const until = async (count: number) => {
    while (results.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await until(1);
  server.close();
  await until(2);
  expect(results).toEqual(['Success', 'Failure']);
});
