import { type ConfigMap, errorCode, type Pod, type Secret, type Service } from '@nodeagent/api';
import { gatherEnvironmentSources, makeEnvironmentVariables } from '@nodeagent/api/helpers';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { environmentPorts } from './environment-ports.js';
import { createServices } from './services.js';
import { createFakeSource } from './test-support/fake-source.js';
import { secret } from './test-support/pods.js';
import { createWatchedObjects } from './watched-objects.js';

const container = {
  name: 'app',
  env: [
    { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'key' } } },
    { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'absent', key: 'level', optional: true } } },
  ],
};
const pod: Pod = { metadata: { name: 'web', namespace: 'prod', uid: 'u1' }, spec: { containers: [container], enableServiceLinks: true } };

async function setUp({ isAway = false } = {}) {
  const clock = createVirtualClock();
  const sources = { secrets: createFakeSource<Secret>(), configMaps: createFakeSource<ConfigMap>(), services: createFakeSource<Service>() };
  sources.secrets.isAway = isAway;
  const secrets = createWatchedObjects({ kind: 'Secret', source: sources.secrets, clock });
  const configMaps = createWatchedObjects({ kind: 'ConfigMap', source: sources.configMaps, clock });
  const services = createServices({ source: sources.services });
  for (const store of [secrets, configMaps]) {
    await store.start();
    store.registerPod(pod);
  }
  const ports = environmentPorts({ services, configMaps, secrets });
  const environment = async () => {
    const facts = { hostIPs: [], podIPs: [], nodeAllocatable: {} };
    const gathered = await gatherEnvironmentSources(pod, container, facts, ports);
    return Object.fromEntries(makeEnvironmentVariables(pod, container, gathered).map(({ name, value }) => [name, value]));
  };
  return { clock, sources, services, environment, ports };
}

describe('environment ports', () => {
  it('give a container its secrets, its config maps, and the services once they are listed', async () => {
    const { clock, sources, services, environment } = await setUp();
    sources.secrets.put(secret('db', 1));
    sources.services.put({
      metadata: { name: 'api', namespace: 'prod' },
      spec: { clusterIP: '10.0.0.7', ports: [{ port: 80, protocol: 'TCP' }] },
    });
    expect(services.list()).toBeUndefined();
    await expect(environment()).rejects.toMatchObject({ code: 'ServicesNotSynced' });
    await services.start();
    await clock.settle();
    expect(sources.services.selections).toEqual([undefined]);
    expect(await environment()).toMatchObject({ PASSWORD: 'v1', API_SERVICE_HOST: '10.0.0.7', API_SERVICE_PORT: '80' });
    await services.stop();
    expect(sources.services.running).toBe(0);
  });

  it('reject with every error other than NotFound', async () => {
    const { clock, ports } = await setUp({ isAway: true });
    expect(await ports.getConfigMap('prod', 'absent')).toBeUndefined();
    expect(await clock.run(ports.getSecret('prod', 'db').catch(errorCode))).toBe('ObjectNotSynced');
    expect(await ports.getSecret('prod', 'unknown').catch(errorCode)).toBe('ObjectNotRegistered');
  });
});
