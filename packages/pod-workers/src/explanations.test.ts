import { NodeAgentError, type Pod, type PodRuntimeStatus, type PodSyncOutcome, type PodWorkers, type SyncReason } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createPodWorkers } from './pod-workers.js';

const pod = (uid: string, phase = 'Running'): Pod => ({
  metadata: { uid, name: uid, namespace: 'ns' },
  spec: { containers: [{ name: 'main', image: 'i' }] },
  status: { phase },
});

const nothing: PodRuntimeStatus = {
  uid: 'a',
  name: 'a',
  namespace: 'ns',
  ips: [],
  containerStatuses: [],
  activeContainerStatuses: [],
  sandboxStatuses: [],
};
const start: readonly SyncReason[] = [{ action: 'start', target: 'main', reason: 'it has not run yet' }];
const restart: readonly SyncReason[] = [{ action: 'start', target: 'main', reason: 'it exited' }];
const keep: readonly SyncReason[] = [{ action: 'keep', target: 'main', reason: 'it runs' }];

/** Pod workers whose syncs return these outcomes in turn; the last one repeats. */
function setUp(...outcomes: PodSyncOutcome[]) {
  const clock = createVirtualClock();
  const relists: number[] = [];
  const workers = createPodWorkers({
    clock,
    random: () => 0,
    requestRelist: () => relists.push(clock.monotonic()),
    cache: {
      get: () => nothing,
      revision: () => 0,
      getNewerThan: async () => nothing,
    },
    syncer: {
      syncPod: async () => (outcomes.length > 1 ? outcomes.shift() : outcomes[0]) ?? { terminal: false, changed: false },
      syncTerminatingPod: async () => {},
      syncTerminatingRuntimePod: async () => {},
      syncTerminatedPod: async () => {},
    },
  });
  return { clock, workers, relists };
}

it('reports the last sync, the last change and the next sync', async () => {
  const { clock, workers, relists } = setUp(
    { terminal: false, changed: true, reasons: start },
    { terminal: false, changed: false, reasons: keep },
  );
  const cause = { event: 'ADD', source: 'file' };
  workers.updatePod({ type: 'create', pod: pod('a'), cause });
  await clock.settle();
  expect([workers.state('a'), workers.state('unknown')]).toEqual(['SyncPod', undefined]);
  expect(workers.explain('a')).toMatchObject({
    lastUpdate: { type: 'create', cause },
    lastSync: { updateType: 'create', cause, reasons: start },
    lastChange: { cause, reasons: start },
  });
  await clock.advance(61_001);
  expect(workers.explain('a')).toMatchObject({
    lastSync: { startedAt: clock.now() - 1000, reasons: keep },
    lastChange: { endedAt: clock.now() - 61_001, reasons: start },
    nextRetryAt: clock.now() + 59_000,
    summary: 'The last sync succeeded. The last change was 61.0 s ago: start main (it has not run yet). Next sync in 59.0 s.',
  });
  expect(relists).toEqual([0]);
});

it('reports the error of a partly failed sync, its reasons, and the end of its back-off as the next sync', async () => {
  const expiry = createVirtualClock().now() + 20_000;
  const error = new NodeAgentError('CrashLoopBackOff', 'back-off 20s restarting', { details: { expiry } });
  const { clock, workers, relists } = setUp({ terminal: false, changed: true, reasons: restart, error });
  workers.updatePod({ type: 'create', pod: pod('a') });
  await clock.settle();
  expect(workers.explain('a')).toMatchObject({
    lastSync: { reasons: restart, error: 'back-off 20s restarting' },
    nextRetryAt: expiry,
    summary: 'The last sync failed: back-off 20s restarting. It was to start main (it exited). Next sync in 20.0 s.',
  });
  expect(workers.explain('a')).not.toHaveProperty('lastChange');
  expect(relists).toEqual([]);
});

it.each<[string, (workers: PodWorkers) => void]>([
  ['deleted', (workers) => workers.updatePod({ type: 'update', pod: { ...pod('a'), metadata: { uid: 'a', deletionTimestamp: 'x' } } })],
  ['evicted', (workers) => workers.updatePod({ type: 'kill', pod: pod('a'), killOptions: { evict: true } })],
  ['killed', (workers) => workers.updatePod({ type: 'kill', pod: pod('a') })],
  ['killed', (workers) => workers.syncKnownPods([])],
  ['containersEnded', (workers) => workers.updatePod({ type: 'update', pod: pod('a', 'Succeeded') })],
])('reports the termination cause %s', async (terminationCause, end) => {
  const { clock, workers } = setUp();
  workers.updatePod({ type: 'create', pod: pod('a') });
  await clock.settle();
  expect(workers.explain('a')).not.toHaveProperty('terminationCause');
  end(workers);
  expect(workers.explain('a')).toMatchObject({ terminationCause });
});

it('reports the termination cause containersEnded after a terminal sync', async () => {
  const { clock, workers } = setUp({ terminal: true, changed: false });
  workers.updatePod({ type: 'create', pod: pod('a') });
  await clock.settle();
  expect(workers.explain('a')).toMatchObject({ terminationCause: 'containersEnded', finished: true });
});
