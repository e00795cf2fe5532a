import { type Cluster, pathOf, succeed } from './cluster.js';
import { Kubelet } from './kubelet.js';
import { Observer } from './observer.js';
import { Recorder, type Recording } from './record.js';
import { type Scenario, ScenarioContext } from './scenario.js';

/** The nodes that the scenarios without nodes share. */
const sharedNodes = ['a', 'b', 'c'];

/**
 * Runs scenarios in a cluster: beside each other, except for the exclusive ones, which must be alone. Each starts `staggerMs` after the
 * previous one.
 */
export async function runScenarios(
  cluster: Cluster,
  scenarios: readonly Scenario[],
  onDone: (recording: Recording) => void,
  staggerMs = 0,
): Promise<void> {
  const observer = new Observer(cluster);
  const kubelet = new Kubelet(cluster, observer);
  await observer.start();
  const run = async (scenario: Scenario) => onDone(await runScenario(scenario, { cluster, observer, kubelet }));
  for (const scenario of scenarios.filter(({ isExclusive }) => isExclusive)) await run(scenario);
  const others = scenarios.filter(({ isExclusive }) => !isExclusive);
  if (others.length === 0) return;
  const shared = new ScenarioContext('node', { cluster, observer, kubelet, onStep: () => {} });
  for (const suffix of sharedNodes) await shared.addNode(suffix, { labels: { pool: 'shared' } });
  void shared.renewLeases();
  const runLater = async (scenario: Scenario, index: number) => {
    await cluster.sleep(index * staggerMs);
    await run(scenario);
  };
  await Promise.allSettled(others.map(runLater));
  shared.isOver = true;
}

async function runScenario(scenario: Scenario, ports: { cluster: Cluster; observer: Observer; kubelet: Kubelet }): Promise<Recording> {
  const { cluster, observer } = ports;
  const { name } = scenario;
  await succeed(cluster, { method: 'POST', path: pathOf('Namespace'), body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } });
  await cluster.sleep(1_000);
  const recorder = new Recorder(scenario, observer, cluster.now());
  const context = new ScenarioContext(name, { ...ports, onStep: (step) => recorder.step(step) });
  void context.renewLeases();
  await scenario.act(context);
  context.isOver = true;
  const recording = recorder.finish();
  if (scenario.isExclusive) await removeAll(scenario, ports);
  return recording;
}

/** Removes the nodes and the namespace of an exclusive scenario. */
async function removeAll({ name }: Scenario, { cluster, observer }: { cluster: Cluster; observer: Observer }): Promise<void> {
  for (const { object, deletedAt } of observer.of(name)) {
    if (object.kind === 'Node' && deletedAt === undefined)
      await cluster.request({ method: 'DELETE', path: pathOf('Node', undefined, object.metadata.name) });
  }
  await cluster.request({ method: 'DELETE', path: pathOf('Namespace', undefined, name) });
  await cluster.sleep(5_000);
}
