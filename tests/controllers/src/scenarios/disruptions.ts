import type { Scenario } from '../scenario.js';
import { budget, deployment, pod, replicaSet, scenario, statefulSet } from './objects.js';

export const disruptionScenarios: readonly Scenario[] = [
  scenario('budget-min-available', async (s) => {
    await s.create(budget('web', { minAvailable: 2 }));
    await s.step('without pods', 2);
    await s.create(deployment('web', { replicas: 3 }));
    await s.step('created', 4);
    const [first, second] = s.pods();
    await s.evict(first?.metadata.name ?? '');
    await s.evict(second?.metadata.name ?? '');
    await s.step('evicted', 0.5);
    await s.step('replaced', 5);
  }),
  scenario('budget-max-unavailable', async (s) => {
    await s.create(budget('web', { maxUnavailable: '50%' }));
    await s.create(deployment('web', { replicas: 3 }));
    await s.step('created', 4);
    const [first] = s.pods();
    if (first) await s.setReady(first, false);
    await s.step('one is not ready', 2);
    for (const each of s.pods()) await s.evict(each.metadata.name);
    await s.step('evicted', 6);
  }),
  scenario('budget-percentage', async (s) => {
    await s.create(budget('web', { minAvailable: '60%' }));
    await s.create(statefulSet('web', { replicas: 4, serviceName: 'web', podManagementPolicy: 'Parallel' }));
    await s.step('created', 5);
    await s.scale('StatefulSet', 'web', 2);
    await s.step('scaled down', 4);
  }),
  scenario('budget-unmanaged', async (s) => {
    await s.createAll(pod('a'), pod('b'), budget('web', { maxUnavailable: 1 }));
    await s.step('unmanaged pods', 4);
    await s.patch('PodDisruptionBudget', 'web', { spec: { maxUnavailable: null, minAvailable: 1 } });
    await s.step('changed', 3);
    await s.evict('a');
    await s.step('evicted', 4);
  }),
  scenario('budget-unhealthy', async (s) => {
    await s.createAll(replicaSet('web', { replicas: 2 }, { run: 'unready' }), budget('web', { minAvailable: 2 }));
    await s.step('created', 4);
    await s.evict(s.pods()[0]?.metadata.name ?? '');
    await s.step('refused', 2);
    await s.patch('PodDisruptionBudget', 'web', { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } });
    await s.sleep(1);
    await s.evict(s.pods()[0]?.metadata.name ?? '');
    await s.step('evicted', 5);
  }),
];
