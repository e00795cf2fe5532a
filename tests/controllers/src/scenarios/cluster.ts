import type { Scenario } from '../scenario.js';
import { deployment, pod, scenario, service } from './objects.js';

export const clusterScenarios: readonly Scenario[] = [
  scenario('namespace-deleted', async (s) => {
    await s.createAll(deployment('web', { replicas: 2 }), service('web'), { kind: 'ConfigMap', metadata: { name: 'settings' } });
    await s.create({ kind: 'ConfigMap', metadata: { name: 'kept', finalizers: ['example.com/keep'] } });
    await s.step('created', 5);
    await s.delete('Namespace', s.namespace);
    await s.step('terminating', 24);
    await s.create({ kind: 'ConfigMap', metadata: { name: 'late' } });
    await s.patch('ConfigMap', 'kept', { metadata: { finalizers: null } });
    await s.step('deleted', 14);
  }),
  scenario('service-account', async (s) => {
    await s.create({ kind: 'ServiceAccount', metadata: { name: 'robot' } });
    await s.create(pod('user', { spec: { nodeSelector: { pool: 'shared' }, serviceAccountName: 'robot' } }));
    await s.create(pod('lost', { spec: { nodeSelector: { pool: 'shared' }, serviceAccountName: 'absent' } }));
    await s.step('created', 3);
    await s.delete('ServiceAccount', 'robot');
    await s.delete('ServiceAccount', 'default');
    await s.delete('ConfigMap', 'kube-root-ca.crt');
    await s.step('deleted', 3);
    await s.create(pod('again'));
    await s.step('default account is back', 3);
  }),
  scenario('owners', async (s) => {
    await s.create({ kind: 'ConfigMap', metadata: { name: 'owner' } });
    await s.create({ kind: 'ConfigMap', metadata: { name: 'other' } });
    await s.sleep(1);
    const [owner, other] = s.all('ConfigMap').filter(({ metadata }) => ['owner', 'other'].includes(metadata.name));
    const reference = (uid = '', name = '') => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid });
    const first = reference(owner?.metadata.uid, 'owner');
    const second = reference(other?.metadata.uid, 'other');
    await s.create({ kind: 'ConfigMap', metadata: { name: 'one', ownerReferences: [first] } });
    await s.create({ kind: 'ConfigMap', metadata: { name: 'both', ownerReferences: [first, second] } });
    await s.create({
      kind: 'ConfigMap',
      metadata: { name: 'blocking', ownerReferences: [{ ...first, blockOwnerDeletion: true }], finalizers: ['example.com/keep'] },
    });
    await s.create({
      kind: 'ConfigMap',
      metadata: { name: 'absent', ownerReferences: [reference('11111111-1111-1111-1111-111111111111', 'absent-owner')] },
    });
    await s.step('created', 3);
    await s.delete('ConfigMap', 'owner', { propagationPolicy: 'Foreground' });
    await s.step('owner waits', 4);
    await s.patch('ConfigMap', 'blocking', { metadata: { finalizers: null } });
    await s.step('owner deleted', 4);
  }),
  scenario('quota-status', async (s) => {
    await s.create({
      kind: 'ResourceQuota',
      metadata: { name: 'all' },
      spec: { hard: { pods: '3', 'requests.cpu': '1', 'count/configmaps': '4', 'count/deployments.apps': '1', services: '1' } },
    });
    await s.step('quota', 3);
    const resources = { requests: { cpu: '300m' } };
    const spec = { nodeSelector: { pool: 'shared' }, containers: [{ name: 'main', image: 'web:1', resources }] };
    for (const name of ['a', 'b', 'c', 'd']) await s.create(pod(name, { spec, ...(name === 'a' && { run: 'exit=0@1' }) }));
    await s.createAll(service('web'), service('more'), deployment('web', { replicas: 1 }, { spec }));
    await s.step('used', 6);
    await s.delete('Pod', 'b');
    await s.step('freed', 8);
  }),
  scenario('quota-scopes', async (s) => {
    await s.create({ kind: 'ResourceQuota', metadata: { name: 'best-effort' }, spec: { hard: { pods: '1' }, scopes: ['BestEffort'] } });
    await s.create({ kind: 'ResourceQuota', metadata: { name: 'terminating' }, spec: { hard: { pods: '2' }, scopes: ['Terminating'] } });
    await s.step('quotas', 3);
    await s.createAll(pod('a'), pod('b'), pod('c', { spec: { nodeSelector: { pool: 'shared' }, activeDeadlineSeconds: 100 } }));
    await s.step('used', 4);
  }),
  scenario('finalizers', async (s) => {
    await s.create({ ...deployment('web', { replicas: 1 }), metadata: { name: 'web', finalizers: ['example.com/keep'] } });
    await s.step('created', 4);
    await s.delete('Deployment', 'web', { propagationPolicy: 'Background' });
    await s.step('terminating', 4);
    await s.patch('Deployment', 'web', { metadata: { finalizers: null } });
    await s.step('deleted', 4);
  }),
];
