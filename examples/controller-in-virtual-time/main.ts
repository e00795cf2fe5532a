/**
 * Tests a controller that keeps one worker running: an hour of a cluster with the real agent, scheduler and API server.
 *
 *     node_modules/.bin/tsx examples/controller-in-virtual-time/main.ts
 */
import assert from 'node:assert/strict';
import { createTestCluster } from '@nodeagent/test-cluster';

const cluster = await createTestCluster();
cluster.script('main', { exit: { afterMs: 20 * 60_000, code: 1 } }); // each worker fails after 20 minutes
const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'worker:1' }] };

const stopped = new AbortController();
async function controller() {
  while (!stopped.signal.aborted) {
    const workers = cluster.pods();
    if (workers.every(({ status }) => status?.phase === 'Failed')) {
      cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `worker-${workers.length}` }, spec });
    }
    await cluster.clock.sleep(10_000, stopped.signal).catch(() => {});
  }
}
void controller();
await cluster.advance('1h');
stopped.abort();
for (const { metadata, status } of cluster.pods()) console.log(metadata?.name, status?.phase);
assert.equal(await cluster.stop(), 0, 'timers are left');
