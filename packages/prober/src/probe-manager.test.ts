import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Probe } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';
import type { RunCommand } from './handlers/exec.js';
import { machineProbeNetwork } from './machine-probe-network.js';
import { createProbeManager, type ProbeManagerOptions } from './probe-manager.js';
import type { ProbeTarget } from './run-probe.js';

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

it.each<[string, Probe, ProbeTarget, field: string, text: string]>([
  ['port 0', { tcpSocket: { port: 0 } }, {}, 'probe.tcpSocket.port', 'must be a port from 1 to 65535, got 0'],
  ['a port above the range', { httpGet: { port: 65_536 } }, {}, 'probe.httpGet.port', 'must be a port from 1 to 65535, got 65536'],
  ['a fraction of a port', { grpc: { port: 80.5 } }, {}, 'probe.grpc.port', 'must be a port from 1 to 65535, got 80.5'],
  ['a port number as text above the range', { tcpSocket: { port: '70000' } }, {}, 'probe.tcpSocket.port', 'from 1 to 65535, got "70000"'],
  [
    'a named port above the range',
    { tcpSocket: { port: 'web' } },
    { ports: [{ name: 'web', containerPort: 70_000 }] },
    'probe.tcpSocket.port',
    'must be a port from 1 to 65535, got "web"',
  ],
  [
    'a port name that is nearly one of the target',
    { httpGet: { port: 'wbe' } },
    { ports: [{ name: 'web', containerPort: 80 }] },
    'probe.httpGet.port',
    'the target has no port named "wbe"; did you mean "web"?',
  ],
  ['a port name of no port', { httpGet: { port: 'web' } }, {}, 'probe.httpGet.port', 'no port named "web"; the named ports are: none'],
  ['a command without a function', { exec: { command: ['true'] } }, {}, 'target.exec', 'must be a function that runs the command'],
  ['another scheme', { httpGet: { port: 80, scheme: 'FTP' } }, {}, 'probe.httpGet.scheme', 'must be HTTP or HTTPS, got "FTP"'],
  [
    'an unknown field of a probe',
    { tcpSocket: { port: 80 }, periodSecond: 1 } as Probe,
    {},
    'probe.periodSecond',
    'unknown option "probe.periodSecond"; did you mean "probe.periodSeconds"?',
  ],
  [
    'an unknown field of a handler',
    { httpGet: { port: 80, paths: '/' } } as Probe,
    {},
    'probe.httpGet.paths',
    'did you mean "probe.httpGet.path"?',
  ],
  [
    'an unknown field of a target',
    { tcpSocket: { port: 80 } },
    { hosts: 'a' } as ProbeTarget,
    'target.hosts',
    'did you mean "target.host"?',
  ],
  ['a fraction of a threshold', { tcpSocket: { port: 80 }, failureThreshold: 1.5 }, {}, 'probe.failureThreshold', 'a whole number above 0'],
])('refuses %s when the target is added', (_, probe, target, field, text) => {
  const probes = createProbeManager({ network: machineProbeNetwork });
  expect(() => probes.add('a', probe, target)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  expect(() => probes.add('a', probe, target)).toThrow(text);
  expect(probes.result('a')).toBeUndefined();
});

it('refuses probes over the network without a network', () => {
  const probes = createProbeManager();
  const network = expect.objectContaining({ code: 'InvalidOption', details: { field: 'network' } });
  expect(() => probes.add('a', { tcpSocket: { port: 80 } })).toThrow(network);
  expect(() => probes.add('a', { httpGet: { port: 80 } })).toThrow('machineProbeNetwork of @nodeagent/prober/node');
});

it('refuses targets after it was stopped', async () => {
  const { probes, add, clock } = setUp();
  await probes.stop();
  expect(() => add('a')).toThrow(expect.objectContaining({ code: 'ProberStopped' }));
  expect(clock.pending).toBe(0);
});

it('reports each attempt before the result, repeated ones too', async () => {
  const calls: string[] = [];
  const answers = ['no result', 'no result', 'yes', 'yes', 'no'];
  const { clock, probes } = setUp({
    onResult: ({ name, result }) => calls.push(`${name} ${result}`),
    onAttempt: ({ name, attempt, durationMs }) => calls.push(`${name} ${attempt.error ?? attempt.result} ${durationMs}`),
  });
  const exec: RunCommand = async () => {
    await clock.sleep(100);
    const answer = answers.shift();
    if (answer === 'no result') throw new Error(answer);
    return { exitCode: answer === 'yes' ? 0 : 1 };
  };
  probes.add('a', { exec: {}, timeoutSeconds: 5, failureThreshold: 1 }, { exec });
  await clock.advance(21_000);
  expect(calls).toEqual([
    ...['a no result 100', 'a no result 100', 'a success 100', 'a Success'],
    ...['a success 100', 'a failure 100', 'a Failure'],
  ]);
  await probes.stop();
});

it('reports no attempt that ends after its target was removed', async () => {
  const attempts: string[] = [];
  const { clock, probes } = setUp({ onAttempt: ({ name }) => attempts.push(name) });
  probes.add('a', { exec: {} }, { exec: () => clock.sleep(100).then(() => ({ exitCode: 0 })) });
  await clock.advance(50);
  probes.remove('a');
  await clock.advance(1_000);
  expect(attempts).toEqual([]);
});

it('reports each failure of a liveness target, and probes it after its initial delay again', async () => {
  const { clock, results, failing, probes, add } = setUp({ mode: 'liveness' });
  failing.add('a');
  add('a', { initialDelaySeconds: 30, failureThreshold: 2 });
  await clock.advance(100_000);
  expect(results.splice(0)).toEqual(['a Failure a at 40000', 'a Failure a at 80000']);
  failing.clear();
  await clock.advance(100_000);
  expect(results).toEqual(['a Success a at 110000']);
  expect(() => add('b', { successThreshold: 2 })).toThrow('probe.successThreshold must be 1 for liveness');
  expect(() => createProbeManager({ mode: 'startup' as 'liveness' })).toThrow('mode must be readiness or liveness');
  await probes.stop();
});

it('probes a real server in real time', async () => {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const results: string[] = [];
  const probes = createProbeManager({ network: machineProbeNetwork, onResult: ({ result }) => results.push(result) });
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
