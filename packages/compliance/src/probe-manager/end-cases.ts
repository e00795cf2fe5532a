import assert from 'node:assert/strict';
import { settle } from '../support/waiting.js';
import { execProbe, type ProbeSession, probeCase, probedPod } from './subject.js';

const web = probedPod('web', { readinessProbe: execProbe('ready'), livenessProbe: execProbe('live') });
const db = probedPod('db', { readinessProbe: execProbe('ready') });

/** Waits until the pods are probed, and clears the recorded probes. */
async function probed({ manager, runs, until, probes }: ProbeSession, ...pods: (typeof web)[]): Promise<void> {
  for (const pod of pods) {
    runs(pod);
    manager.addPod(pod);
  }
  const ids = pods.map(({ metadata }) => `${metadata?.name}-0`);
  await until('readiness', () => ids.every((id) => manager.results.readiness(id) === 'Success'));
  await until('liveness', () => !pods.includes(web) || manager.results.liveness('web-0') === 'Success');
  await settle();
  probes.length = 0;
}

/** The end of probes. */
export const endCases = [
  probeCase('stopLivenessAndStartup keeps readiness probes', async (session) => {
    const { manager, advance, probes } = session;
    await probed(session, web);
    for (let i = 0; i < 2; i++) manager.stopLivenessAndStartup(web);
    await advance(5_000);
    assert.ok(probes.includes('web-0 ready'));
    assert.ok(!probes.includes('web-0 live'));
    assert.equal(manager.results.readiness('web-0'), 'Success');
    assert.equal(manager.view(web).hasWorker('main', 'readiness'), true);
  }),

  probeCase('removePod stops the probes of the pod and removes their results', async (session) => {
    const { manager, advance, probes } = session;
    await probed(session, web, db);
    for (let i = 0; i < 2; i++) manager.removePod(web);
    manager.removePod(probedPod('unknown', {}));
    await advance(5_000);
    assert.ok(probes.length > 0 && probes.every((probe) => probe === 'db-0 ready'), probes.join());
    assert.equal(manager.results.readiness('web-0'), undefined);
    assert.equal(manager.view(web).hasWorker('main', 'readiness'), false);
    assert.equal(manager.results.readiness('db-0'), 'Success');
  }),

  probeCase('cleanupPods stops the probes of pods that are not in the set', async (session) => {
    const { manager, advance, probes } = session;
    await probed(session, web, db);
    for (let i = 0; i < 2; i++) manager.cleanupPods(new Set(['uid-db', 'uid-unknown']));
    await advance(5_000);
    assert.ok(probes.length > 0 && probes.every((probe) => probe === 'db-0 ready'), probes.join());
    assert.equal(manager.results.readiness('web-0'), undefined);
  }),

  probeCase('a removed pod that is added again is probed again', async (session) => {
    const { manager, until } = session;
    await probed(session, web);
    manager.removePod(web);
    await session.advance(5_000);
    manager.addPod(web);
    await until('readiness', () => manager.results.readiness('web-0') === 'Success');
  }),

  probeCase('stop stops all probes and aborts those in progress', async (session) => {
    const { manager, hanging, until, settled, advance, probes } = session;
    await probed(session, web, db);
    const stuck = probedPod('stuck', { readinessProbe: execProbe('stuck', { timeoutSeconds: 3600 }) });
    hanging.add('stuck');
    session.runs(stuck);
    manager.addPod(stuck);
    await until('the probe that hangs', () => probes.includes('stuck-0 stuck'));
    for (let i = 0; i < 2; i++) await settled(manager.stop());
    probes.length = 0;
    await advance(5_000);
    assert.deepEqual(probes, []);
  }),
];
