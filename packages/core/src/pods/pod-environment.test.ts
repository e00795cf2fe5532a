import { noEvents, type Service } from '@nodeagent/api';
import type { EnvironmentPorts } from '@nodeagent/api/helpers';
import { buildContainer, buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createPodEnvironment } from './pod-environment.js';

const settings = { clusterDNS: [], clusterDomain: '', resolvConf: '' };
const kubernetes: Service = {
  metadata: { name: 'kubernetes', namespace: 'default' },
  spec: { clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443 }] },
};

type Variables = NonNullable<Parameters<typeof buildContainer>[0] & object>['env'];

function createTestEnvironment(ports?: EnvironmentPorts) {
  return createPodEnvironment({
    settings,
    nodeName: 'n',
    hostIps: () => ['10.0.0.9', 'fd00::9'],
    nodeAllocatable: () => ({ cpu: '3500m', memory: '6Gi' }),
    recorder: noEvents,
    ...(ports && { ports }),
  });
}

function environment(env: Variables, ports?: EnvironmentPorts) {
  return createTestEnvironment(ports).environment(buildPod({ name: 'p' }), buildContainer({ env }), ['10.88.0.2']);
}

const limits: Variables = ['cpu', 'memory'].map((name) => ({ name, valueFrom: { resourceFieldRef: { resource: `limits.${name}` } } }));
const addresses: Variables = ['podIP', 'podIPs', 'hostIPs'].map((name) => ({
  name,
  valueFrom: { fieldRef: { fieldPath: `status.${name}` } },
}));

describe('the environment of a container', () => {
  it('contains objects from its ports', async () => {
    const ports: EnvironmentPorts = { listServices: () => [kubernetes], getConfigMap: async () => ({ data: { a: '1' } }) };
    const made = await environment([{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } }], ports);
    expect(made).toMatchObject({ A: '1', KUBERNETES_SERVICE_HOST: '10.0.0.1' });
  });

  it('has the allocatable resources of the node as the limits of a container without limits', async () => {
    expect(await environment(limits)).toMatchObject({ cpu: '4', memory: `${6 * 2 ** 30}` });
  });

  it('has the pod-level limits before those of the node', async () => {
    const pod = buildPod({ name: 'p', resources: { limits: { cpu: '1250m', memory: '64Mi' } } });
    const made = await createTestEnvironment().environment(pod, buildContainer({ env: limits }), []);
    expect(made).toMatchObject({ cpu: '2', memory: '67108864' });
  });

  it('has the addresses of the node in a pod on the host network', async () => {
    const pod = buildPod({ name: 'p', hostNetwork: true });
    const made = await createTestEnvironment().environment(pod, buildContainer({ env: addresses }), []);
    expect(made).toMatchObject({ podIP: '10.0.0.9', podIPs: '10.0.0.9,fd00::9', hostIPs: '10.0.0.9,fd00::9' });
  });

  it('has the pod addresses in the order of the status: the family of the node first', async () => {
    const made = await createTestEnvironment().environment(buildPod({ name: 'p' }), buildContainer({ env: addresses }), [
      'fd00:1::2',
      '10.88.0.2',
    ]);
    expect(made).toMatchObject({ podIP: '10.88.0.2', podIPs: '10.88.0.2,fd00:1::2' });
  });

  it("fails with the kubelet's message if an object is missing", async () => {
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
