/**
 * Searches the batch controller of examples/controller-test, which uses `@kubernetes/client-node` over HTTP.
 *
 *     node_modules/.bin/tsx examples/explore-controller/batch.ts [SCHEDULES]
 */
import { KubeConfig } from '@kubernetes/client-node';
import { type ExploreOptions, explore, type Setup } from '@nodeagent/explore';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { createBatchController } from '../controller-test/batch-controller.js';
import { batchDefinition, newBatch } from '../controller-test/batch-definition.js';

const setup: Setup = (cluster) => {
  cluster.server.objects.create(batchDefinition as never);
  cluster.script('main', { exit: { afterMs: 60_000, code: 0 } });
  cluster.script({ pod: 'b-1-0' }, { exit: { afterMs: 20_000, code: 1 } });
};

const options: ExploreOptions = {
  network: machineNetwork,
  async controller({ kubeconfig, clock, signal, note }) {
    const config = new KubeConfig();
    config.loadFromString(kubeconfig());
    const onError = (error: unknown) => note(String(error));
    const controller = createBatchController({ config, namespace: 'default', sleep: clock.sleep, onError });
    signal.addEventListener('abort', () => void controller.stop());
    await controller.start();
  },
  async actions(cluster) {
    cluster.apply(newBatch('b', { runs: 3, parallelism: 2, retries: 1 }));
    await cluster.advance('1m');
  },
};

const { schedules, elapsedMs, failure } = await explore(setup, { ...options, schedules: Number(process.argv[2] ?? 100) });
console.error(`${schedules} schedules in ${Math.round(elapsedMs / 1_000)} s`);
console.log(failure?.text ?? 'every schedule ends with a complete batch');
