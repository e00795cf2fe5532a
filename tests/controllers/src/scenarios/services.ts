import type { Scenario } from '../scenario.js';
import { pod, scenario, service, statefulSet } from './objects.js';

export const serviceScenarios: readonly Scenario[] = [
  scenario('slices-readiness', async (s) => {
    await s.create(service('web'));
    await s.step('empty', 3);
    await s.createAll(pod('a'), pod('b', { run: 'unready' }));
    await s.step('pods', 4);
    const [a, b] = s.pods();
    if (a) await s.setReady(a, false);
    if (b) await s.setReady(b, true);
    await s.step('changed', 3);
    await s.delete('Pod', 'b');
    await s.step('terminating', 0.5);
    await s.step('deleted', 4);
    await s.delete('Service', 'web');
    await s.step('service deleted', 4);
  }),
  scenario('slices-headless', async (s) => {
    await s.createAll(
      service('web', { clusterIP: 'None', publishNotReadyAddresses: true }),
      statefulSet('web', { replicas: 2, serviceName: 'web', podManagementPolicy: 'Parallel' }, { run: 'unready' }),
    );
    await s.step('created', 5);
  }),
  scenario('slices-named-ports', async (s) => {
    const containers = (containerPort: number) => [{ name: 'main', image: 'web:1', ports: [{ name: 'http', containerPort }] }];
    const spec = (port: number) => ({ nodeSelector: { pool: 'shared' }, containers: containers(port) });
    await s.create(service('web', { ports: [{ name: 'http', port: 80, targetPort: 'http', appProtocol: 'http' }] }));
    await s.createAll(pod('a', { spec: spec(8080) }), pod('b', { spec: spec(9090) }));
    await s.step('created', 5);
    await s.patch('Service', 'web', { metadata: { labels: { team: 'a' } } });
    await s.step('labelled', 3);
    await s.patch('Service', 'web', { spec: { selector: { app: 'none' } } });
    await s.step('other selector', 3);
  }),
  scenario('slices-zone', async (s) => {
    await s.addNode('a', { labels: { 'topology.kubernetes.io/zone': 'z1', 'topology.kubernetes.io/region': 'r1' } });
    await s.createAll(service('web'), pod('a', { spec: { nodeSelector: { pool: s.namespace } } }));
    await s.step('created', 5);
  }),
];
