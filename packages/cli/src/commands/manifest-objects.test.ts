import { createFileSource, createMemoryFiles, createMemoryPodDirs, createNodeAgent, type FileSourceOptions } from '@nodeagent/core/node';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createManifestObjects } from './manifest-objects.js';

const manifest = `apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: settings}
    data: {LEVEL: debug}
  - apiVersion: v1
    kind: Secret
    metadata: {name: login}
    stringData: {password: secret}
  - apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      replicas: 2
      template:
        spec:
          containers:
            - name: main
              image: web:1
              envFrom: [{configMapRef: {name: settings}}]
              env: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: login, key: password}}}]
`;

it('serves ConfigMaps and Secrets of a folder to the pods of a Deployment in it', async () => {
  const content = new TextEncoder().encode(manifest);
  const files: FileSourceOptions['files'] = {
    stat: async (path) => ({ kind: path === '/pods' ? 'directory' : 'file', size: content.length, id: path }),
    list: async () => ['web.yaml'],
    read: async () => content,
  };
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const { set, environment } = createManifestObjects();
  const agent = createNodeAgent({
    nodeName: 'n1',
    rootDir: '/root',
    sources: [createFileSource({ path: '/pods', files, nodeName: 'n1', clock, watch: () => ({ close() {} }), onObjects: set })],
    cri: { runtime: memory.runtime, image: memory.image },
    clock,
    environment,
    host: { files: createMemoryFiles(), podDirs: createMemoryPodDirs() },
  });
  await agent.start();
  while (agent.pods().filter(({ status }) => status.phase === 'Running').length < 2) await clock.advance(1_000);
  const { containers = [] } = await memory.runtime.listContainers({});
  const configs = memory.callsOf('createContainer').map(({ request }) => request);
  expect(containers).toHaveLength(2);
  const value = (text: string) => new TextEncoder().encode(text);
  const envs = [
    { key: 'LEVEL', value: value('debug') },
    { key: 'PASSWORD', value: value('secret') },
  ];
  expect(configs).toMatchObject([{ config: { envs } }, { config: { envs } }]);
  await clock.run(agent.stop());
});
