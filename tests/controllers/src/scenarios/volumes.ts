import type { ObjectInput, Scenario } from '../scenario.js';
import { pod, scenario } from './objects.js';

const claim = (name: string, spec: Record<string, unknown> = {}): ObjectInput => ({
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'manual', resources: { requests: { storage: '1Gi' } }, ...spec },
});

const volume = (name: string, spec: Record<string, unknown> = {}): ObjectInput => ({
  kind: 'PersistentVolume',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'manual', capacity: { storage: '2Gi' }, hostPath: { path: '/data' }, ...spec },
});

const withClaim = (claimName: string) => ({
  nodeSelector: { pool: 'shared' },
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
});

export const volumeScenarios: readonly Scenario[] = [
  scenario('claim-static', async (s) => {
    await s.create(claim('data'));
    await s.step('unbound', 3);
    await s.create(volume(`${s.namespace}-v`));
    await s.step('bound', 18);
    await s.create(pod('user', { spec: withClaim('data') }));
    await s.step('used', 4);
    await s.delete('PersistentVolumeClaim', 'data');
    await s.step('claim deleted while used', 3);
    await s.delete('Pod', 'user');
    await s.step('pod deleted', 5);
    await s.delete('PersistentVolume', `${s.namespace}-v`);
    await s.step('volume deleted', 4);
  }),
  scenario('claim-named-volume', async (s) => {
    const name = `${s.namespace}-v`;
    await s.create(volume(name, { claimRef: { namespace: s.namespace, name: 'data' } }));
    await s.step('reserved', 3);
    await s.create(claim('data', { volumeName: name }));
    await s.step('bound', 4);
    await s.delete('PersistentVolume', name);
    await s.step('volume deleted while bound', 3);
    await s.delete('PersistentVolumeClaim', 'data');
    await s.step('claim deleted', 4);
  }),
  scenario('claim-selection', async (s) => {
    await s.create(volume(`${s.namespace}-small`, { capacity: { storage: '500Mi' }, storageClassName: s.namespace }));
    await s.create(volume(`${s.namespace}-large`, { capacity: { storage: '9Gi' }, storageClassName: s.namespace }));
    await s.create(volume(`${s.namespace}-fits`, { capacity: { storage: '3Gi' }, storageClassName: s.namespace }));
    await s.step('volumes', 3);
    await s.create(claim('data', { storageClassName: s.namespace }));
    await s.create(claim('many', { storageClassName: s.namespace, accessModes: ['ReadWriteMany'] }));
    await s.step('bound', 4);
  }),
  scenario('claim-lost', async (s) => {
    const name = `${s.namespace}-v`;
    await s.create(volume(name, { storageClassName: s.namespace }));
    await s.create(claim('data', { storageClassName: s.namespace }));
    await s.step('bound', 5);
    await s.patch('PersistentVolume', name, { metadata: { finalizers: null } });
    await s.delete('PersistentVolume', name);
    await s.step('volume lost', 4);
  }),
  scenario('claim-wait-for-consumer', async (s) => {
    const name = s.namespace;
    await s.create({
      kind: 'StorageClass',
      metadata: { name },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    await s.create(volume(`${name}-v`, { storageClassName: name }));
    await s.create(claim('data', { storageClassName: name }));
    await s.step('waits', 4);
    await s.create(pod('user', { spec: withClaim('data') }));
    await s.step('bound', 6);
  }),
  scenario('claim-without-class', async (s) => {
    await s.create(claim('data', { storageClassName: 'absent' }));
    await s.step('class does not exist', 4);
    await s.create(pod('user', { spec: withClaim('data') }));
    await s.create(pod('lost', { spec: withClaim('nothing') }));
    await s.step('used', 4);
  }),
];
