import assert from 'node:assert/strict';
import { execProbe, probeCase, probedPod } from './subject.js';

const web = probedPod('web', { readinessProbe: execProbe('ready'), livenessProbe: execProbe('live') });

/** Probe results and their reports. */
export const resultCases = [
  probeCase("results are keyed by the runtime's container id, in a view by the id of the status", async ({ manager, runs, until }) => {
    runs(web);
    assert.equal(manager.results.readiness('web-0'), undefined);
    manager.addPod(web);
    await until('both results', () => manager.results.readiness('web-0') === 'Success' && manager.results.liveness('web-0') === 'Success');
    assert.equal(manager.view(web).readiness('memory://web-0'), 'Success');
    assert.equal(manager.results.startup('web-0'), undefined);
    assert.equal(manager.results.readiness('unknown'), undefined);
  }),

  probeCase('a view has the running probes and their start times', async ({ manager, runs }) => {
    runs(web);
    const { startedAt } = manager.view(web);
    assert.equal(manager.view(web).hasWorker('main', 'readiness'), false);
    manager.addPod(web);
    const view = manager.view(web);
    assert.deepEqual([view.hasWorker('main', 'readiness'), view.hasWorker('main', 'startup')], [true, false]);
    assert.equal(view.hasWorker('other', 'readiness'), false);
    assert.equal(view.startedAt, startedAt);
    assert.ok(Number.isFinite(startedAt));
  }),

  probeCase('a pod without probes has none', async ({ manager, runs, advance, probes, updates }) => {
    const plain = probedPod('web', {});
    runs(plain);
    manager.addPod(plain);
    await advance(5_000);
    assert.deepEqual([probes, updates()], [[], []]);
    assert.equal(manager.view(plain).hasWorker('main', 'readiness'), false);
  }),

  probeCase('addPod at every sync does not add probes', async ({ manager, runs, advance, probes }) => {
    runs(web);
    for (let i = 0; i < 10; i++) {
      manager.addPod(web);
      await advance(1_000);
    }
    const made = probes.filter((probe) => probe === 'web-0 ready').length;
    assert.ok(made >= 5 && made <= 11, `${made} probes in 10 s`);
  }),

  probeCase('a result is reported when it changes, and only then', async ({ manager, runs, failing, until, advance, updates }) => {
    let offered = 0;
    manager.updates.onOffer = () => void offered++;
    runs(web);
    manager.addPod(web);
    await until('the result', () => manager.results.readiness('web-0') === 'Success');
    await advance(2_000);
    assert.ok(offered > 0);
    const first = updates();
    assert.equal(first.filter((update) => update.startsWith('Readiness')).at(-1), 'Readiness memory://web-0 Success');
    await advance(5_000);
    assert.deepEqual(updates(), []);
    failing.add('ready');
    await until('the result', () => manager.results.readiness('web-0') === 'Failure');
    assert.deepEqual(updates(), ['Readiness memory://web-0 Failure']);
  }),

  probeCase('only the latest update of each probe is queued', async ({ manager, runs, failing, until, updates }) => {
    const pod = probedPod('web', { readinessProbe: execProbe('ready') });
    runs(pod);
    manager.addPod(pod);
    for (let i = 0; i < 4; i++) {
      await until('success', () => manager.results.readiness('web-0') === 'Success');
      failing.add('ready');
      await until('failure', () => manager.results.readiness('web-0') === 'Failure');
      failing.clear();
    }
    assert.deepEqual(updates(), ['Readiness memory://web-0 Failure']);
  }),

  probeCase('a result changes once its threshold is reached', async ({ manager, runs, failing, until, advance, probes }) => {
    const pod = probedPod('web', { readinessProbe: execProbe('ready', { failureThreshold: 3, periodSeconds: 10 }) });
    runs(pod);
    manager.addPod(pod);
    await until('success', () => manager.results.readiness('web-0') === 'Success', 30_000);
    failing.add('ready');
    const before = probes.length;
    await until('two failures', () => probes.length === before + 2, 30_000);
    await advance(1_000);
    assert.equal(manager.results.readiness('web-0'), 'Success');
    await until('failure', () => manager.results.readiness('web-0') === 'Failure', 30_000);
    assert.equal(probes.length, before + 3);
  }),

  probeCase('other probes wait for the startup probe', async ({ manager, runs, failing, until, advance, probes, updates }) => {
    const pod = probedPod('web', { startupProbe: execProbe('start', { failureThreshold: 100 }), readinessProbe: execProbe('ready') });
    failing.add('start');
    runs(pod, { started: false });
    manager.addPod(pod);
    await advance(5_000);
    assert.ok(probes.includes('web-0 start'));
    assert.ok(!probes.includes('web-0 ready'));
    updates();
    failing.clear();
    await until('start-up succeeds', () => manager.results.startup('web-0') === 'Success');
    assert.deepEqual(updates(), ['Startup memory://web-0 Success']);
    runs(pod);
    await until('readiness', () => manager.results.readiness('web-0') === 'Success');
    const made = probes.filter((probe) => probe === 'web-0 start').length;
    await advance(5_000);
    assert.equal(probes.filter((probe) => probe === 'web-0 start').length, made);
  }),

  probeCase('a restarted container has separate results', async ({ manager, runs, failing, until }) => {
    runs(web);
    manager.addPod(web);
    await until('the first container', () => manager.results.readiness('web-0') === 'Success');
    failing.add('ready');
    runs(web, { instance: 1 });
    await until('the second container', () => manager.results.readiness('web-1') === 'Failure');
    assert.equal(manager.results.readiness('web-0'), undefined);
  }),

  probeCase('probes run concurrently', async ({ manager, runs, hanging, until }) => {
    const stuck = probedPod('stuck', { readinessProbe: execProbe('stuck', { timeoutSeconds: 3600 }) });
    hanging.add('stuck');
    for (const pod of [stuck, web]) {
      runs(pod);
      manager.addPod(pod);
    }
    await until('the other result', () => manager.results.readiness('web-0') === 'Success');
  }),

  probeCase('probeNow runs readiness probes at once', async ({ manager, runs, probes, until, advance }) => {
    const pod = probedPod('web', { readinessProbe: execProbe('ready', { periodSeconds: 600 }) });
    runs(pod);
    manager.addPod(pod);
    await until('the first probe', () => probes.length > 0, 1_200_000);
    await advance(5_000);
    assert.equal(probes.length, 1);
    manager.probeNow(pod, ['unknown']);
    await advance(1_000);
    assert.equal(probes.length, 1);
    manager.probeNow(pod, ['main']);
    await until('the second probe', () => probes.length > 1, 1_000);
  }),
];
