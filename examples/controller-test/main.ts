/**
 * Tests a controller: one hour of a batch in a cluster that exists only in this process and in virtual time.
 *     node_modules/.bin/tsx examples/controller-test/main.ts
 */
import { createBatchController } from './batch-controller.js';
import { batchDefinition, newBatch } from './batch-definition.js';
import { createBatchCluster } from './test-cluster.js';

const cluster = await createBatchCluster();
const { clock, server, config, time } = cluster;
server.objects.create(batchDefinition);
const controller = createBatchController({ config, namespace: 'default', sleep: clock.sleep });
await controller.start();

// Every run takes twenty minutes; the third one first fails after a minute.
cluster.script('main', { exit: { afterMs: 20 * 60_000, code: 0 } });
cluster.script({ pod: 'report-2-0' }, { exit: { afterMs: 60_000, code: 1 } });

const phases = new Map<string | undefined, string | undefined>();
cluster.node('node-1').agent.on('status', ({ metadata }, { phase }) => {
  if (phase !== 'Pending' && phases.get(metadata?.name) !== phase) console.log(time(), metadata?.name, phase);
  phases.set(metadata?.name, phase);
});

cluster.apply(newBatch('report', { runs: 6, parallelism: 2, retries: 1 }));
await cluster.advance('1h1m5s');
console.log(time(), 'report', JSON.stringify(cluster.batch('report')?.status));

await controller.stop();
await cluster.stop();
