import { NodeAgentError } from '@nodeagent/api';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import type { ContainerImageRequest } from '../options.js';
import { createTestNode } from '../test-node.js';

const pod = buildPod({
  name: 'p',
  volumes: [
    { name: 'tools', image: { reference: 'tools:1', pullPolicy: 'IfNotPresent' } },
    { name: 'missing', image: { reference: 'missing:1' } },
  ],
  containers: [
    { name: 'uses', image: 'app:1', volumeMounts: [{ name: 'tools', mountPath: '/tools', subPath: 'bin' }] },
    { name: 'broken', image: 'app:1', volumeMounts: [{ name: 'missing', mountPath: '/missing' }] },
    { name: 'neither', image: 'app:1' },
  ],
});

function setUp() {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const recorder = createRecordingRecorder();
  const pulls: string[] = [];
  const ensureImageExists = async ({ image, object, pullPolicy }: ContainerImageRequest) => {
    pulls.push(`${image} ${pullPolicy} ${object.fieldPath ?? 'pod'}`);
    if (image === 'missing:1') throw new NodeAgentError('ErrImagePull', 'no such image');
    return { imageRef: `sha256:${image}` };
  };
  const node = createTestNode(memory, clock, { recorder, images: { ensureImageExists } });
  return { memory, recorder, pulls, node };
}

it('mounts images, and fails only the containers whose image volume cannot be pulled', async () => {
  const { memory, recorder, pulls, node } = setUp();
  const { results } = await node.sync(pod);

  expect(pulls.slice(0, 2)).toEqual(['tools:1 IfNotPresent pod', `missing:1 undefined pod`]);
  const outcomes = results.filter(({ action }) => action === 'StartContainer').map(({ target, error }) => [target, error?.message]);
  expect(outcomes).toEqual([
    ['uses', undefined],
    ['broken', 'no such image'],
    ['neither', undefined],
  ]);
  expect(results.find(({ target }) => target === 'broken')?.error).toMatchObject({ code: 'ErrImagePull' });
  expect(recorder.events.filter(({ type }) => type === 'Warning')).toMatchObject([
    { reason: 'Failed', message: 'Error: no such image', object: { fieldPath: 'spec.containers{broken}' } },
  ]);
  const created = memory.calls.find(({ method }) => method === 'createContainer')?.request as { config: { mounts: object[] } };
  expect(created.config.mounts).toContainEqual({
    containerPath: '/tools',
    readonly: true,
    propagation: 'PROPAGATION_PRIVATE',
    image: { image: 'sha256:tools:1' },
    imageSubPath: 'bin',
  });
});

it('pulls no image if no container is to be started', async () => {
  const { pulls, node } = setUp();
  const running = { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers.filter(({ name }) => name !== 'broken') ?? [] } };
  await node.sync(running);
  pulls.length = 0;
  await node.sync(running);
  expect(pulls).toEqual([]);
});

it('rejects a path outside the image', async () => {
  const { node } = setUp();
  const [uses] = pod.spec?.containers ?? [];
  const volumeMounts = [{ name: 'tools', mountPath: '/tools', subPath: '../etc' }];
  const outside = { ...pod, spec: { ...pod.spec, containers: uses ? [{ ...uses, volumeMounts }] : [] } };
  const { results } = await node.sync(outside);
  expect(results.find(({ target }) => target === 'uses')?.error).toMatchObject({ code: 'CreateContainerConfigError' });
});
