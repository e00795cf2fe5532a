import type { PodSpec } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { findApiReference } from './references.js';

const spec = (fields: Partial<PodSpec> & Record<string, unknown>): PodSpec => ({ containers: [{ name: 'a' }], ...fields });
const volume = (source: Record<string, unknown>) => spec({ volumes: [{ name: 'x' }, { name: 'v', ...source }] });

it.each<[PodSpec, string, string]>([
  [spec({ serviceAccountName: 'x', imagePullSecrets: [{ name: 's' }] }), 'spec.serviceAccountName', 'serviceaccounts'],
  [spec({ serviceAccount: 'x' }), 'spec.serviceAccount', 'serviceaccounts'],
  [spec({ imagePullSecrets: [{ name: 's' }] }), 'spec.imagePullSecrets[0]', 'secrets'],
  [
    spec({
      initContainers: [{ name: 'i' }, { name: 'j', env: [{ name: 'A' }, { name: 'B', valueFrom: { secretKeyRef: { key: 'k' } } }] }],
    }),
    'spec.initContainers[1].env[1].valueFrom.secretKeyRef',
    'secrets',
  ],
  [volume({ secret: {} }), 'spec.volumes[1].secret', 'secrets'],
  [volume({ projected: { sources: [{ secret: {} }] } }), 'spec.volumes[1].projected.sources[0].secret', 'secrets'],
  [volume({ csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } }), 'spec.volumes[1].csi.nodePublishSecretRef', 'secrets'],
  [volume({ iscsi: { secretRef: {} } }), 'spec.volumes[1].iscsi.secretRef', 'secrets'],
  [volume({ azureFile: {} }), 'spec.volumes[1].azureFile.secretName', 'secrets'],
  [spec({ containers: [{ name: 'a', envFrom: [{ configMapRef: {} }] }] }), 'spec.containers[0].envFrom[0].configMapRef', 'configmaps'],
  [volume({ configMap: {} }), 'spec.volumes[1].configMap', 'configmaps'],
  [spec({ resourceClaims: [{ name: 'c' }] }), 'spec.resourceClaims[0]', 'resourceclaims'],
  [volume({ csi: { driver: 'd' } }), 'spec.volumes[1].csi', 'csidrivers (via CSI volumes)'],
  [volume({ glusterfs: {} }), 'spec.volumes[1].glusterfs', 'endpoints (via glusterFS volumes)'],
  [volume({ persistentVolumeClaim: {} }), 'spec.volumes[1].persistentVolumeClaim', 'persistentvolumeclaims'],
  [volume({ ephemeral: {} }), 'spec.volumes[1].ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  [
    volume({ projected: { sources: [{ downwardAPI: {} }, { serviceAccountToken: {} }] } }),
    'spec.volumes[1].projected.sources[1].serviceAccountToken',
    'serviceaccounts (via projected volumes)',
  ],
  [
    volume({ projected: { sources: [{ clusterTrustBundle: {} }] } }),
    'spec.volumes[1].projected.sources[0].clusterTrustBundle',
    'clustertrustbundles',
  ],
  [volume({ projected: { sources: [{ podCertificate: {} }] } }), 'spec.volumes[1].projected.sources[0].podCertificate', 'podcertificates'],
])('finds %#: %s', (pod, field, what) => {
  expect(findApiReference({ spec: pod })).toMatchObject({ to: what, field, problem: `static pods may not reference ${what}` });
});

it('finds no reference in a standalone pod', () => {
  expect(findApiReference({ spec: volume({ hostPath: { path: '/x' } }) })).toBeUndefined();
  expect(findApiReference({})).toBeUndefined();
});
