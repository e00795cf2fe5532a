import { seededRandom } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type BatchController, createBatchController } from './batch-controller.js';
import { batchDefinition, newBatch } from './batch-definition.js';
import { type BatchCluster, createBatchCluster } from './test-cluster.js';

const minute = 60_000;
let cluster: BatchCluster;
let controller: BatchController;
let errors: unknown[];

/** Creates a cluster with a batch controller; runs take ten minutes. */
async function setUp(): Promise<void> {
  cluster = await createBatchCluster();
  const { server, config, clock } = cluster;
  server.objects.create(batchDefinition);
  cluster.script('main', { exit: { afterMs: 10 * minute, code: 0 } });
  errors = [];
  const onError = (error: unknown) => void errors.push(error);
  controller = createBatchController({ config, namespace: 'default', sleep: clock.sleep, onError });
  await controller.start();
}
afterEach(async () => {
  await controller.stop();
  expect(await cluster.stop()).toBe(0);
});

const apply = (spec: Parameters<typeof newBatch>[1]) => cluster.apply(newBatch('b', spec));
const advance = (minutes: number) => cluster.advance(minutes * minute);
/** `b-0-0 Succeeded`, sorted by name. */
const pods = () => cluster.pods().map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`);
const status = () => cluster.batch('b')?.status;

describe('the batch controller in a cluster', () => {
  it('runs a batch with limited parallelism, and retries failed runs', async () => {
    await setUp();
    cluster.script({ pod: 'b-1-0' }, { exit: { afterMs: minute, code: 1 } });
    apply({ runs: 3, parallelism: 2, retries: 1 });
    await advance(0.5);
    expect(pods()).toEqual(['b-0-0 Running', 'b-1-0 Running']);
    expect(status()).toEqual({ phase: 'Running', active: 2, succeeded: 0, failed: 0 });
    await advance(1);
    expect(pods()).toEqual(['b-0-0 Running', 'b-1-0 Failed', 'b-1-1 Running']);
    await advance(20);
    expect(pods()).toEqual(['b-0-0 Succeeded', 'b-1-0 Failed', 'b-1-1 Succeeded', 'b-2-0 Succeeded']);
    expect(status()).toEqual({ phase: 'Complete', active: 0, succeeded: 3, failed: 1 });
    expect(errors).toEqual([]);
  });

  it('fails a batch with a run that fails too often', async () => {
    await setUp();
    cluster.script({ pod: /^b-1-/ }, { exit: { afterMs: minute, code: 1 } });
    apply({ runs: 3, parallelism: 1, retries: 2 });
    await advance(30);
    expect(status()).toEqual({ phase: 'Failed', active: 0, succeeded: 1, failed: 3 });
    expect(pods()).toEqual(['b-0-0 Succeeded', 'b-1-0 Failed', 'b-1-1 Failed', 'b-1-2 Failed']);
  });

  it('replaces a deleted pod after its grace period', async () => {
    await setUp();
    cluster.script({ pod: 'b-0-0' }, { onStop: 'ignore' });
    apply({ runs: 1 });
    await advance(1);
    cluster.server.objects.delete('pods', 'b-0-0');
    await cluster.advance(4_000);
    expect(pods()).toEqual(['b-0-0 Running']);
    await cluster.advance(6_000);
    expect(pods()).toEqual(['b-0-0 Running']);
    expect(cluster.pod('b-0-0')?.metadata?.deletionTimestamp).toBeUndefined();
  });

  it('waits for a pod whose image cannot be pulled', async () => {
    await setUp();
    cluster.scriptImage('report:1', { pullError: 'no such host' });
    apply({ runs: 1 });
    await advance(5);
    const [pod] = cluster.pods();
    expect(pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason).toMatch(/ErrImagePull|ImagePullBackOff/);
    cluster.scriptImage('report:1', {});
    await advance(20);
    expect(status()).toMatchObject({ phase: 'Complete', failed: 0 });
  });

  it('completes while watches break and the API server rejects requests', async () => {
    await setUp();
    const seed = 20_261_121;
    const random = seededRandom(seed);
    apply({ runs: 4, parallelism: 2 });
    const { server } = cluster;
    for (const code of [429, 500, 503]) {
      server.fault({ match: { user: 'system:admin', resource: 'pods', verb: 'create' }, times: 1, skip: code % 3, status: code });
      server.fault({ match: { resource: 'batches' }, times: 1, skip: code % 4, status: code });
    }
    for (let step = 0; step < 40; step++) {
      await advance(1);
      const dice = random();
      if (dice < 0.1) server.dropWatches('cut');
      else if (dice < 0.2) server.dropWatches('expire');
      else if (dice < 0.3) server.dropWatches('end');
    }
    const seen = { seed, pods: pods(), status: status() };
    expect(seen).toEqual({
      seed,
      pods: [0, 1, 2, 3].map((run) => `b-${run}-0 Succeeded`),
      status: { phase: 'Complete', active: 0, succeeded: 4, failed: 0 },
    });
    expect(errors.length).toBeGreaterThan(0);
  });
});
