import { performance } from 'node:perf_hooks';
import { createBatchController } from '../examples/controller-test/batch-controller.js';
import { batchDefinition, newBatch } from '../examples/controller-test/batch-definition.js';
import { createBatchCluster } from '../examples/controller-test/test-cluster.js';

const hourMs = 3_600_000;

/** An hour in the cluster of the example's operator, with a batch of twelve runs of ten minutes, two at a time: what its tests wait for. */
export async function benchControllerTest(report: (line: string) => void): Promise<void> {
  for (const nth of ['first', 'second', 'third']) {
    const start = performance.now();
    const cluster = await createBatchCluster();
    const { server, config, clock } = cluster;
    server.objects.create(batchDefinition);
    cluster.script('main', { exit: { afterMs: hourMs / 6, code: 0 } });
    const onError = (error: unknown) => {
      throw error;
    };
    const controller = createBatchController({ config, namespace: 'default', sleep: clock.sleep, onError });
    await controller.start();
    cluster.apply(newBatch('b', { runs: 12, parallelism: 2, retries: 0 }));
    await cluster.advance(hourMs);
    const done = cluster.batch('b')?.status?.succeeded;
    await controller.stop();
    await cluster.stop();
    const seconds = (performance.now() - start) / 1000;
    report(`controller-test an hour, ${done} runs of an operator, the ${nth} in the process: ${seconds.toFixed(2)} s`);
  }
}
