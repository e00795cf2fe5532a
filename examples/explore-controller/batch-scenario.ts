/** The scenario of the batch controller of examples/controller-test, which uses `@kubernetes/client-node` over HTTP. */
import { KubeConfig } from '@kubernetes/client-node';
import type { ExploreOptions, Setup } from '@nodeagent/explore';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { createBatchController } from '../controller-test/batch-controller.js';
import { batchDefinition, newBatch } from '../controller-test/batch-definition.js';

export const setup: Setup = (cluster) => {
  cluster.server.objects.create(batchDefinition as never);
  cluster.script('main', { exit: { afterMs: 60_000, code: 0 } });
  cluster.script({ pod: 'b-1-0' }, { exit: { afterMs: 20_000, code: 1 } });
};

export const options: ExploreOptions = {
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
