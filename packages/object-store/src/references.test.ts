import type { Pod, Volume } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { configMapsOfPod, secretsOfPod } from './references.js';

const volumes = [
  { name: 'a', secret: { secretName: 'volume' } },
  { name: 'b', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected-map' } }, {}] } },
  { name: 'c', csi: { driver: 'd', nodePublishSecretRef: { name: 'csi' } } },
  { name: 'd', iscsi: { targetPortal: 'p', iqn: 'i', lun: 0, secretRef: { name: 'iscsi' } } },
  { name: 'e', azureFile: { secretName: 'azure', shareName: 's' } },
  { name: 'f', flexVolume: { driver: 'd', secretRef: { name: 'flex' } } },
  { name: 'g', configMap: { name: 'volume-map' } },
  { name: 'h', emptyDir: {} },
  { name: 'i', secret: {} },
] as Volume[];

const pod: Pod = {
  metadata: { name: 'web', namespace: 'prod', uid: 'u1' },
  spec: {
    imagePullSecrets: [{ name: 'pull' }, { name: '' }, {}],
    initContainers: [{ name: 'init', envFrom: [{ secretRef: { name: 'init' } }, { configMapRef: { name: 'init-map' } }] }],
    containers: [
      {
        name: 'app',
        env: [
          { name: 'PLAIN', value: 'x' },
          { name: 'S', valueFrom: { secretKeyRef: { name: 'key', key: 'k' } } },
          { name: 'C', valueFrom: { configMapKeyRef: { name: 'key-map', key: 'k' } } },
          { name: 'AGAIN', valueFrom: { secretKeyRef: { name: 'pull', key: 'k' } } },
        ],
      },
    ],
    ephemeralContainers: [{ name: 'debug', envFrom: [{ secretRef: { name: 'debug' } }] }],
    volumes,
  },
};

describe('references of a pod', () => {
  it('finds every secret, each once', () => {
    const names = ['init', 'key', 'pull', 'debug', 'volume', 'projected', 'csi', 'iscsi', 'azure', 'flex'];
    expect([...secretsOfPod(pod)].sort()).toEqual(names.sort());
  });

  it('finds every config map', () => {
    expect([...configMapsOfPod(pod)].sort()).toEqual(['init-map', 'key-map', 'projected-map', 'volume-map']);
  });

  it('finds no references in a pod without a spec', () => {
    expect([secretsOfPod({}).size, configMapsOfPod({}).size]).toEqual([0, 0]);
  });
});
