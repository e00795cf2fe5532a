import type { Pod, PodStatus, Probe, ProbeUpdate } from '@nodeagent/api';
import { buildPod, createRecordingRecorder, createVirtualClock, seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createPodProbeManager, type PodProbeManagerOptions } from './pod-probe-manager.js';
import type { ProbeAttempt } from './probe-attempt.js';

const exec = (name: string, more: Probe = {}): Probe => ({ exec: { command: [name] }, periodSeconds: 1, ...more });
const fine: ProbeAttempt = { result: 'success', output: '' };

/** A manager whose attempts return the entry of `answers` for their command, else success. `runs` makes a pod Running. */
function setUp(options: Partial<PodProbeManagerOptions> = {}) {
  const clock = createVirtualClock();
  const recorder = createRecordingRecorder();
  const answers = new Map<string, ProbeAttempt | Promise<ProbeAttempt>>();
  const probed: string[] = [];
  const statuses = new Map<string, PodStatus>();
  const counted: string[] = [];
  const count = (name: string) => ({
    inc: (labels = {}, by = 1) => void counted.push(`${name} ${Object.values(labels).join(' ')} ${by}`),
    observe: (_value: number, labels = {}) => void counted.push(`${name} ${Object.values(labels).join(' ')}`),
    set() {},
  });
  const manager = createPodProbeManager({
    podStatus: (uid) => statuses.get(uid),
    runInContainer: async () => ({ exitCode: 0, stdout: '', stderr: '' }),
    runProbe: async ({ exec }) => {
      const name = exec?.command?.[0] ?? '';
      probed.push(name);
      return answers.get(name) ?? fine;
    },
    clock,
    random: () => 0,
    recorder,
    metrics: { counter: ({ name }) => count(name), gauge: ({ name }) => count(name), histogram: ({ name }) => count(name) },
    ...options,
  });
  const runs = (pod: Pod, { id = 'c1', started = true, names = ['main'] } = {}) =>
    void statuses.set(pod.metadata?.uid ?? '', {
      phase: 'Running',
      podIP: '10.0.0.1',
      containerStatuses: names.map((name) => ({
        name,
        containerID: `memory://${id}-${name}`,
        ready: false,
        started,
        restartCount: 0,
        image: '',
        imageID: '',
        state: { running: { startedAt: new Date(clock.now()).toISOString() } },
      })),
    });
  const updates = () => {
    const taken: string[] = [];
    for (let next: ProbeUpdate | undefined = manager.updates.poll(); next; next = manager.updates.poll()) {
      taken.push(`${next.type} ${next.containerId} ${next.result}`);
    }
    return taken;
  };
  return { manager, clock, recorder, answers, probed, statuses, counted, runs, updates };
}

const three = buildPod({
  name: 'web',
  uid: 'u',
  containers: [{ name: 'main', livenessProbe: exec('live'), readinessProbe: exec('ready', { failureThreshold: 2 }) }],
});

it("publishes results by container ID, with or without the runtime's prefix, and emits changes", async () => {
  const { manager, clock, recorder, answers, runs, updates, counted } = setUp();
  runs(three);
  manager.addPod(three);
  manager.addPod(three);
  await clock.settle();
  expect(updates()).toEqual(['Readiness memory://c1-main Success', 'Liveness memory://c1-main Success']);
  expect([manager.results.readiness('c1-main'), manager.view(three).readiness('memory://c1-main')]).toEqual(['Success', 'Success']);
  expect([manager.view(three).hasWorker('main', 'readiness'), manager.view(three).hasWorker('main', 'startup')]).toEqual([true, false]);
  answers.set('ready', { result: 'failure', output: 'no' });
  answers.set('live', { result: 'warning', output: 'hm' });
  await clock.advance(2_000);
  expect(updates()).toEqual(['Readiness memory://c1-main Failure']);
  expect(new Set(recorder.events.map(({ object, type, reason, message }) => `${object.fieldPath} ${type} ${reason} ${message}`))).toEqual(
    new Set([
      'spec.containers{main} Warning Unhealthy Readiness probe failed: no',
      'spec.containers{main} Warning ProbeWarning Liveness probe warning: hm',
    ]),
  );
  expect(counted).toContain('prober_probe_total Readiness main web default failed u 1');
  expect(counted).toContain('prober_probe_duration_seconds Liveness main web default');
  manager.removePod(three);
  manager.removePod(three);
  expect(manager.results.readiness('c1-main')).toBeUndefined();
  expect(manager.view(three).hasWorker('main', 'readiness')).toBe(false);
  await manager.stop();
  expect(clock.pending).toBe(0);
});

it('keeps only the latest pending update of each probe', async () => {
  const { manager, clock, answers, runs, updates } = setUp();
  runs(three);
  let offered = 0;
  manager.updates.onOffer = () => offered++;
  manager.addPod(three);
  for (let round = 0; round < 20; round++) {
    answers.set('live', { result: round % 2 ? 'success' : 'failure', output: '' });
    runs(three, { id: `c${round % 2}` });
    await clock.advance(1_000);
  }
  expect(offered).toBeGreaterThan(40);
  expect(updates().length).toBeLessThanOrEqual(4);
  await manager.stop();
});

it('retries an attempt with an error immediately, and ignores the result after the third error', async () => {
  const { manager, clock, recorder, answers, probed, runs, updates } = setUp();
  answers.set('live', { result: 'unknown', output: '', error: 'boom' });
  runs(three);
  manager.addPod(three);
  await clock.settle();
  expect(probed.filter((name) => name === 'live')).toHaveLength(3);
  expect(manager.results.liveness('c1-main')).toBe('Success');
  expect(recorder.events.map(({ message }) => message)).toEqual(['Liveness probe errored and resulted in unknown state: boom']);
  updates();
  await manager.stop();
});

it('probes immediately on probeNow, and again after a whole period', async () => {
  const pod = buildPod({ name: 'web', uid: 'u', containers: [{ name: 'main', readinessProbe: exec('ready', { periodSeconds: 10 }) }] });
  const { manager, clock, probed, runs } = setUp();
  manager.addPod(pod);
  await clock.advance(3_000);
  expect(probed).toEqual([]);
  runs(pod);
  manager.probeNow(pod, ['main', 'other']);
  await clock.advance(9_999);
  expect(probed).toHaveLength(1);
  await clock.advance(1);
  expect(probed).toHaveLength(2);
  await manager.stop();
});

it('runs only the startup probe until it succeeds, and only the others afterwards', async () => {
  const pod = buildPod({
    name: 'web',
    uid: 'u',
    containers: [{ name: 'main', startupProbe: exec('start', { failureThreshold: 3 }), livenessProbe: exec('live') }],
  });
  const { manager, clock, probed, answers, runs, updates } = setUp();
  answers.set('start', { result: 'failure', output: '' });
  runs(pod, { started: false });
  manager.addPod(pod);
  await clock.advance(1_500);
  expect(new Set(probed)).toEqual(new Set(['start']));
  answers.set('start', fine);
  await clock.advance(1_000);
  expect(updates()).toContain('Startup memory://c1-main Success');
  runs(pod);
  probed.length = 0;
  await clock.advance(3_000);
  expect(new Set(probed)).toEqual(new Set(['live']));
  await manager.stop();
});

it('stops liveness and startup probes of regular containers when the pod terminates, and the others when it is removed', async () => {
  const pod = buildPod({
    name: 'web',
    uid: 'u',
    initContainers: [
      { name: 'side', restartPolicy: 'Always', livenessProbe: exec('side-live') },
      { name: 'init', livenessProbe: exec('never') },
    ],
    containers: [{ name: 'main', livenessProbe: exec('live'), readinessProbe: exec('ready') }],
  });
  const { manager, clock, probed, runs } = setUp();
  runs(pod, { names: ['main', 'side'] });
  manager.addPod(pod);
  await clock.settle();
  expect(new Set(probed)).toEqual(new Set(['live', 'ready', 'side-live']));
  manager.stopLivenessAndStartup(pod);
  probed.length = 0;
  await clock.advance(1_000);
  expect(new Set(probed)).toEqual(new Set(['ready', 'side-live']));
  manager.cleanupPods(new Set(['u']));
  expect(manager.view(pod).hasWorker('main', 'readiness')).toBe(true);
  manager.cleanupPods(new Set());
  expect(manager.view(pod).hasWorker('main', 'readiness')).toBe(false);
  probed.length = 0;
  await clock.advance(5_000);
  expect(probed).toEqual([]);
  await manager.stop();
});

it('does not probe a terminated container that is not restarted, until a new one runs', async () => {
  const pod = buildPod({ name: 'job', uid: 'u', restartPolicy: 'Never', containers: [{ name: 'main', livenessProbe: exec('live') }] });
  const { manager, clock, probed, statuses, runs, updates } = setUp();
  runs(pod);
  manager.addPod(pod);
  await clock.settle();
  for (const status of statuses.get('u')?.containerStatuses ?? []) status.state = { terminated: { exitCode: 0 } };
  await clock.advance(1_000);
  // The pod's sync that follows from the update.
  manager.addPod(pod);
  await clock.advance(5_000);
  expect([updates(), probed]).toEqual([['Liveness memory://c1-main Failure'], ['live']]);
  runs(pod, { id: 'c2' });
  manager.addPod(pod);
  await clock.settle();
  expect(probed).toEqual(['live', 'live']);
  manager.removePod(pod);
  await manager.stop();
  expect(clock.pending).toBe(0);
});

it('ignores the result of a probe that was stopped while it ran', async () => {
  const { manager, clock, answers, runs, updates, recorder } = setUp();
  let answer: (attempt: ProbeAttempt) => void = () => {};
  answers.set('live', new Promise((resolve) => (answer = resolve)));
  runs(three);
  manager.addPod(three);
  await clock.settle();
  updates();
  manager.stopLivenessAndStartup(three);
  answer({ result: 'failure', output: 'too late' });
  await clock.settle();
  expect([updates(), recorder.events]).toEqual([[], []]);
  await manager.stop();
});

it('lets a running attempt finish when its pod terminates, and aborts it when the manager stops', async () => {
  const signals: AbortSignal[] = [];
  const { manager, clock, runs } = setUp({
    runProbe: (_probe, _target, { signal } = {}) =>
      new Promise((_, reject) => {
        if (signal === undefined) return;
        signals.push(signal);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  });
  const aborted = () => signals.map((signal) => signal.aborted);
  runs(three);
  manager.addPod(three);
  await clock.settle();
  manager.stopLivenessAndStartup(three);
  manager.removePod(three);
  await clock.settle();
  expect(aborted()).toEqual([false, false]);
  await manager.stop();
  expect(aborted()).toEqual([true, true]);
  expect(clock.pending).toBe(0);
});

it('spreads first probes over a period only after the start of the agent', async () => {
  const { manager, clock, probed, runs } = setUp({ random: seededRandom(7) });
  const pods = Array.from({ length: 100 }, (_, i) =>
    buildPod({ name: `p${i}`, uid: `u${i}`, containers: [{ name: 'main', livenessProbe: exec(`live${i}`, { periodSeconds: 10 }) }] }),
  );
  for (const pod of pods) {
    runs(pod);
    manager.addPod(pod);
  }
  await clock.advance(5_000);
  expect(probed.length).toBeGreaterThan(30);
  expect(probed.length).toBeLessThan(70);
  await clock.advance(15_000);
  manager.cleanupPods(new Set());
  probed.length = 0;
  for (const pod of pods) manager.addPod(pod);
  await clock.settle();
  expect(probed).toHaveLength(100);
  await manager.stop();
  expect(clock.pending).toBe(0);
});

it('names the container of a missing handler, and passes container IDs without prefix to the runtime', async () => {
  const pod = buildPod({
    name: 'web',
    uid: 'u',
    containers: [{ name: 'main', livenessProbe: { periodSeconds: 1 }, readinessProbe: exec('ready') }],
  });
  const ran: unknown[] = [];
  const { runProbe } = await import('./run-probe.js');
  const { manager, clock, recorder, runs } = setUp({
    runProbe,
    runInContainer: async (id, command, { timeoutMs }) => {
      ran.push([id, command, timeoutMs]);
      return { exitCode: 0, stdout: '', stderr: '' };
    },
  });
  runs(pod);
  manager.addPod(pod);
  await clock.settle();
  expect(ran).toEqual([['c1-main', ['ready'], 1_000]]);
  expect(recorder.events.map(({ message }) => message)).toEqual([
    'Liveness probe errored and resulted in unknown state: missing probe handler for web_default(u):main',
  ]);
  await manager.stop();
});
