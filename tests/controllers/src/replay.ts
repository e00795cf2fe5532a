import type { Recording } from './record.js';
import { runScenarios } from './run.js';
import type { Scenario } from './scenario.js';
import { createVirtualCluster } from './virtual-cluster.js';

/** Runs scenarios on the test controllers, in virtual time: the exclusive ones in a cluster each, the others in one. */
export async function replay(scenarios: readonly Scenario[]): Promise<Recording[]> {
  const recordings: Recording[] = [];
  const alone = scenarios.filter(({ isExclusive }) => isExclusive).map((each) => [each]);
  for (const some of [...alone, scenarios.filter(({ isExclusive }) => !isExclusive)]) {
    const cluster = createVirtualCluster();
    await cluster.clock.run(runScenarios(cluster, some, (recording) => recordings.push(recording)));
    cluster.close();
  }
  return recordings;
}
