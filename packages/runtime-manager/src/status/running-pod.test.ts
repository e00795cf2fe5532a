import type { PodRuntimeStatus, RuntimeContainerStatus } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { convertPodStatusToRunningPod } from './running-pod.js';

it('keeps the running containers and every sandbox', () => {
  const container = (name: string, state: RuntimeContainerStatus['state']): RuntimeContainerStatus => ({
    ...{ id: `id-${name}`, name, state, createdAt: 1n, exitCode: 0, image: 'a:1', imageId: 'i', imageRef: 'r', hash: 'h' },
    ...{ restartCount: 2, reason: '', message: '', podSandboxId: 's1' },
  });
  const sandbox = { attempt: 0, createdAt: 3n, networkMode: 'POD', runtimeHandler: '' } as const;
  const status: PodRuntimeStatus = {
    ...{ uid: 'u', name: 'web', namespace: 'default', ips: ['10.0.0.1'], activeContainerStatuses: [] },
    containerStatuses: [container('app', 'running'), container('app', 'exited'), container('new', 'created')],
    sandboxStatuses: [
      { ...sandbox, id: 's1', state: 'ready' },
      { ...sandbox, id: 's0', state: 'notReady' },
    ],
  };
  const nothing = { name: '', image: '', imageId: '', imageRef: '', hash: '', podSandboxId: '' };
  expect(convertPodStatusToRunningPod(status)).toEqual({
    ...{ uid: 'u', name: 'web', namespace: 'default' },
    containers: [
      {
        id: 'id-app',
        name: 'app',
        state: 'running',
        createdAt: 1n,
        image: 'a:1',
        imageId: 'i',
        imageRef: 'r',
        hash: 'h',
        podSandboxId: 's1',
      },
    ],
    sandboxes: [
      { ...nothing, id: 's1', state: 'running', createdAt: 3n },
      { ...nothing, id: 's0', state: 'exited', createdAt: 3n },
    ],
  });
});
