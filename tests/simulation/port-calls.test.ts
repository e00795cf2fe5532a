import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { apiCall, criPort, type PortCall } from './port-calls.js';

it.each([
  ['GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn', 'api list pods', 'spec.nodeName=n'],
  ['GET', '/api/v1/namespaces/ns/configmaps/settings', 'api get configmaps', 'ns/settings'],
  ['PATCH', '/api/v1/namespaces/ns/pods/web/status', 'api patch pods/status', 'ns/web'],
  ['PATCH', '/api/v1/nodes/n/status', 'api patch nodes/status', 'n'],
  ['PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n', 'api update leases', 'kube-node-lease/n'],
  ['DELETE', '/api/v1/namespaces/ns/pods/web', 'api delete pods', 'ns/web'],
  ['GET', '/apis/node.k8s.io/v1/runtimeclasses', 'api list runtimeclasses', 'runtimeclasses'],
])('reads %s %s', (method, path, name, object) => {
  expect(apiCall({ method, path })).toEqual({ name, object });
});

it('reads watches, and what a created object is about', () => {
  expect(apiCall({ method: 'GET', path: '/api/v1/nodes?watch=1', isWatch: true }).name).toBe('api watch nodes');
  const pods = '/api/v1/namespaces/ns/pods';
  expect(apiCall({ method: 'POST', path: pods, body: '{"metadata":{"name":"web"}}' }).object).toBe('ns/web');
  const body = '{"metadata":{"name":"web.1"},"involvedObject":{"uid":"u"},"reason":"Pulled"}';
  expect(apiCall({ method: 'POST', path: '/api/v1/namespaces/ns/events', body })).toEqual({
    name: 'api create events',
    object: 'ns/u Pulled',
  });
});

it('knows the pod and container of a call by an ID, so that the starts of all its instances count together', async () => {
  const calls: PortCall[] = [];
  const memory = createMemoryRuntime({ clock: createVirtualClock(), images: 'any' });
  const { runtime } = criPort({ runtime: memory.runtime, image: memory.image }, (call, execute) => {
    calls.push(call);
    return execute();
  });
  const sandboxConfig = { metadata: { uid: 'u', name: 'web', namespace: 'ns', attempt: 0 } };
  const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig, runtimeHandler: '' });
  for (const attempt of [0, 1]) {
    const config = { metadata: { name: 'main', attempt }, image: { image: 'i' }, labels: { 'io.kubernetes.pod.uid': 'u' } };
    const { containerId } = await runtime.createContainer({ podSandboxId, config, sandboxConfig });
    await runtime.startContainer({ containerId });
  }
  expect(calls).toEqual([
    { name: 'cri runPodSandbox', object: 'u' },
    { name: 'cri createContainer', object: 'u/main' },
    { name: 'cri startContainer', object: 'u/main' },
    { name: 'cri createContainer', object: 'u/main' },
    { name: 'cri startContainer', object: 'u/main' },
  ]);
});
