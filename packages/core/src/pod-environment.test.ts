import { type EnvironmentPorts, noEvents, type Service } from '@nodeagent/api';
import { buildContainer, buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createPodEnvironment } from './pod-environment.js';

const settings = { clusterDNS: [], clusterDomain: '', resolvConf: '' };
const kubernetes: Service = {
  metadata: { name: 'kubernetes', namespace: 'default' },
  spec: { clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443 }] },
};

function environment(env: NonNullable<Parameters<typeof buildContainer>[0] & object>['env'], ports?: EnvironmentPorts) {
  const made = createPodEnvironment({ settings, nodeName: 'n', hostIps: () => ['10.0.0.9'], recorder: noEvents, ...(ports && { ports }) });
  return made.environment(buildPod({ name: 'p' }), buildContainer({ env }), ['10.88.0.2']);
}

describe('the environment of a container', () => {
  it('has what its ports know of the cluster', async () => {
    const ports: EnvironmentPorts = { listServices: () => [kubernetes], getConfigMap: async () => ({ data: { a: '1' } }) };
    const made = await environment([{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } }], ports);
    expect(made).toMatchObject({ A: '1', KUBERNETES_SERVICE_HOST: '10.0.0.1' });
  });

  it('fails in the words of a kubelet when an object is absent', async () => {
    const configMap = environment([{ name: 'A', valueFrom: { configMapKeyRef: { name: 'none', key: 'a' } } }]);
    await expect(configMap).rejects.toMatchObject({ code: 'ObjectNotFound', message: 'configmap "none" not found', retryable: true });
    const secret = environment([{ name: 'A', valueFrom: { secretKeyRef: { name: 'none', key: 'a' } } }]);
    await expect(secret).rejects.toThrow('secret "none" not found');
  });

  it('fails as its ports fail', async () => {
    const ports = { getConfigMap: () => Promise.reject(new Error('no route')) };
    const made = environment([{ name: 'A', valueFrom: { configMapKeyRef: { name: 'none', key: 'a' } } }], ports);
    await expect(made).rejects.toThrow('no route');
  });
});
