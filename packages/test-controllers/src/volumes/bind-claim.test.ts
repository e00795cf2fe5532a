import type { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { type ClaimInput, reconcileClaim, reconcileVolume } from './bind-claim.js';

const aClaim = (spec: PersistentVolumeClaim['spec'] = {}, more: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'ns', uid: 'c' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'fast', ...spec },
  ...more,
});

const aVolume = (name: string, spec: PersistentVolume['spec'] = {}, phase = 'Available'): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'fast', ...spec },
  status: { phase },
});

const aClass = (more: Partial<StorageClass> = {}): StorageClass => ({ metadata: { name: 'fast' }, provisioner: 'simulated', ...more });
const aNode = (name: string): Node => ({ metadata: { name, labels: { 'kubernetes.io/hostname': name } } });

/** Applies the steps of a claim and its volumes until nothing changes. */
function settle(input: ClaimInput): { claim: PersistentVolumeClaim; volumes: PersistentVolume[]; reasons: string[] } {
  let { claim } = input;
  let volumes = [...input.volumes];
  const reasons: string[] = [];
  const put = (object: PersistentVolume | PersistentVolumeClaim) => {
    if (object.kind === 'PersistentVolumeClaim') claim = object as PersistentVolumeClaim;
    else volumes = [...volumes.filter(({ metadata }) => metadata?.name !== object.metadata?.name), object as PersistentVolume];
  };
  for (let round = 0; round < 10; round++) {
    const step = reconcileClaim({ ...input, claim, volumes });
    reasons.push(...step.events.map(({ reason }) => reason));
    const own = volumes.flatMap((volume) => reconcileVolume(volume, volume.spec?.claimRef && claim, 'now'));
    for (const { object } of [...step.writes, ...own]) put(object);
    if (step.writes.length + own.length === 0) return { claim, volumes, reasons };
  }
  throw new Error('does not settle');
}

const volumeOf = (input: ClaimInput) => settle(input).claim.spec?.volumeName;

describe('reconcileClaim', () => {
  it('binds a claim to the smallest free volume that fits', () => {
    const volumes = [
      aVolume('large', { capacity: { storage: '5Gi' } }),
      aVolume('small', { capacity: { storage: '500Mi' } }),
      aVolume('other', { storageClassName: 'slow' }),
      aVolume('many', { accessModes: ['ReadOnlyMany'] }),
      aVolume('block', { volumeMode: 'Block' }),
      aVolume('taken', { claimRef: { namespace: 'ns', name: 'other' } }),
      aVolume('released', {}, 'Released'),
      aVolume('fit', { capacity: { storage: '2Gi' } }),
    ];
    const { claim, volumes: after } = settle({ claim: aClaim(), volumes });
    expect(claim).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: { volumeName: 'fit' },
      status: { phase: 'Bound', capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'] },
    });
    expect(after.find(({ metadata }) => metadata?.name === 'fit')).toMatchObject({
      spec: { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'data', uid: 'c' } },
      status: { phase: 'Bound' },
    });
  });

  it('prefers a volume that is reserved for the claim, and follows its selector', () => {
    const reserved = aVolume('reserved', { capacity: { storage: '9Gi' }, claimRef: { namespace: 'ns', name: 'data' } });
    expect(volumeOf({ claim: aClaim(), volumes: [aVolume('free'), reserved] })).toBe('reserved');
    const labelled = { ...aVolume('labelled'), metadata: { name: 'labelled', labels: { a: 'b' } } };
    expect(volumeOf({ claim: aClaim({ selector: { matchLabels: { a: 'b' } } }), volumes: [aVolume('free'), labelled] })).toBe('labelled');
  });

  it('binds a claim to the volume that it names, if that fits', () => {
    const named = (volume: PersistentVolume) => settle({ claim: aClaim({ volumeName: 'v' }), volumes: [volume] });
    expect(named(aVolume('v')).claim.status?.phase).toBe('Bound');
    expect(named(aVolume('v', { capacity: { storage: '1Mi' } })).reasons).toContain('VolumeMismatch');
    const other = named(aVolume('v', { claimRef: { namespace: 'ns', name: 'data', uid: 'x' } }));
    expect([other.claim.status?.phase, other.reasons.at(-1)]).toEqual(['Pending', 'FailedBinding']);
  });

  it('provisions a volume by the class', () => {
    const { claim, volumes, reasons } = settle({ claim: aClaim(), volumes: [], storageClass: aClass() });
    expect(claim).toMatchObject({
      metadata: { annotations: { 'volume.kubernetes.io/storage-provisioner': 'simulated' } },
      spec: { volumeName: 'pvc-c' },
      status: { phase: 'Bound' },
    });
    expect(volumes[0]).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/provisioned-by': 'simulated' } },
      spec: {
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'fast',
        capacity: { storage: '1Gi' },
        hostPath: { path: '/var/lib/simulated-volumes/pvc-c' },
      },
      status: { phase: 'Bound' },
    });
    expect(reasons).toEqual(['ProvisioningSucceeded']);
  });

  it('waits for the first pod if the class asks for it, and provisions on its node', () => {
    const storageClass = aClass({ volumeBindingMode: 'WaitForFirstConsumer' });
    const waiting = settle({ claim: aClaim(), volumes: [aVolume('free')], storageClass });
    expect([waiting.claim.status?.phase, waiting.reasons[0]]).toEqual(['Pending', 'WaitForFirstConsumer']);
    const { claim, volumes } = settle({ claim: waiting.claim, volumes: [], storageClass, node: aNode('n') });
    expect(claim.metadata?.annotations).toMatchObject({ 'volume.kubernetes.io/selected-node': 'n' });
    expect(volumes[0]?.spec?.nodeAffinity?.required?.nodeSelectorTerms?.[0]?.matchExpressions?.[0]?.values).toEqual(['n']);
    const local = aVolume('local', volumes[0]?.spec && { nodeAffinity: volumes[0].spec.nodeAffinity as never });
    expect(volumeOf({ claim: aClaim(), volumes: [local], storageClass, node: aNode('n') })).toBe('local');
    expect(volumeOf({ claim: aClaim(), volumes: [local], storageClass, node: aNode('m') })).toBe('pvc-c');
  });

  it('reports why a claim stays pending', () => {
    const reasonOf = (input: Partial<ClaimInput>) => settle({ claim: aClaim(), volumes: [], ...input }).reasons[0];
    expect(reasonOf({})).toBe('ProvisioningFailed');
    expect(reasonOf({ storageClass: aClass({ provisioner: 'kubernetes.io/no-provisioner' }) })).toBe('FailedBinding');
    expect(reasonOf({ claim: aClaim({ storageClassName: '' }) })).toBe('FailedBinding');
  });

  it('expands a volume if the class allows it', () => {
    for (const [allowVolumeExpansion, storage] of [
      [true, '2Gi'],
      [false, '1Gi'],
    ] as const) {
      const storageClass = aClass({ allowVolumeExpansion });
      const bound = settle({ claim: aClaim(), volumes: [], storageClass });
      const claim = { ...bound.claim, spec: { ...bound.claim.spec, resources: { requests: { storage: '2Gi' } } } };
      const after = settle({ claim, volumes: bound.volumes, storageClass });
      expect([after.claim.status?.capacity?.storage, after.volumes[0]?.spec?.capacity?.storage]).toEqual([storage, storage]);
    }
  });

  it('reports a claim whose volume is deleted as lost', () => {
    const bound = settle({ claim: aClaim(), volumes: [aVolume('v')] });
    const lost = settle({ claim: bound.claim, volumes: [] });
    expect([lost.claim.status?.phase, lost.reasons]).toEqual(['Lost', ['ClaimLost']]);
  });
});

it('releases the volume of a deleted claim, and deletes it if it was provisioned', () => {
  const verbs = (volume: PersistentVolume) =>
    reconcileVolume(volume, undefined, 'now').map(({ verb, object }) => `${verb} ${(object as PersistentVolume).status?.phase}`);
  const [provisioned] = settle({ claim: aClaim(), volumes: [], storageClass: aClass() }).volumes;
  expect(provisioned && verbs(provisioned)).toEqual(['updateStatus Released', 'delete Bound']);
  const [kept] = settle({ claim: aClaim(), volumes: [], storageClass: aClass({ reclaimPolicy: 'Retain' }) }).volumes;
  expect(kept && verbs(kept)).toEqual(['updateStatus Released']);
  expect(verbs({ ...aVolume('new'), status: {} })).toEqual(['updateStatus Available']);
});

it('a claim gets a volume of its attributes class, which is the current one until a driver changes it', () => {
  const gold = { volumeAttributesClassName: 'gold' };
  expect(volumeOf({ claim: aClaim(gold), volumes: [aVolume('plain'), aVolume('gold', gold)] })).toBe('gold');
  const { claim, volumes } = settle({ claim: aClaim(gold), volumes: [aVolume('gold', gold)] });
  expect(claim.status?.currentVolumeAttributesClassName).toBe('gold');
  const asked = { ...claim, spec: { ...claim.spec, volumeAttributesClassName: 'silver' } };
  expect(settle({ claim: asked, volumes }).claim.status?.currentVolumeAttributesClassName).toBe('gold');
  expect(settle({ claim: aClaim(gold), volumes: [], storageClass: aClass() }).volumes[0]?.spec?.volumeAttributesClassName).toBe('gold');
});
