import { expect, it } from 'vitest';
import { type ContainerEventLike, type ContainerStage, eventPodUid, eventStage, isNewStage } from './container-event.js';

const event = (more: Partial<ContainerEventLike> = {}): ContainerEventLike => ({
  containerId: 'c',
  containerEventType: 'CONTAINER_STARTED_EVENT',
  createdAt: 0n,
  ...more,
});

it('reads the stage of the container', () => {
  const types = ['CONTAINER_CREATED_EVENT', 'CONTAINER_STARTED_EVENT', 'CONTAINER_STOPPED_EVENT', 'CONTAINER_DELETED_EVENT', 'toString'];
  expect(types.map((containerEventType) => eventStage({ containerEventType }))).toEqual([0, 1, 2, 3, 0]);
});

it('reads the UID of the pod from the sandbox, else from the labels of a container', () => {
  const containersStatuses: ContainerEventLike['containersStatuses'] = [{ labels: {} }, { labels: { 'io.kubernetes.pod.uid': 'b' } }];
  expect(eventPodUid(event({ podSandboxStatus: { metadata: { uid: 'a' } }, containersStatuses }))).toBe('a');
  expect(eventPodUid(event({ podSandboxStatus: null, containersStatuses }))).toBe('b');
  expect(eventPodUid(event({ podSandboxStatus: { metadata: null }, containersStatuses: null }))).toBeUndefined();
});

it('accepts only a stage later than the last observed one', () => {
  const stages: ContainerStage[] = [0, 1, 2, 3];
  const newStages = (pod: Parameters<typeof isNewStage>[2]) => stages.filter((stage) => isNewStage('c', stage, pod));
  const pod = (state: 'created' | 'running' | 'exited', list: 'containers' | 'sandboxes' = 'containers') => ({
    uid: 'a',
    containers: [],
    sandboxes: [],
    [list]: [{ id: 'c', state }],
  });
  expect(newStages(undefined)).toEqual([0, 1, 2]);
  expect(newStages(pod('created'))).toEqual([1, 2, 3]);
  expect(newStages(pod('running'))).toEqual([2, 3]);
  expect(newStages(pod('exited'))).toEqual([3]);
  expect(newStages(pod('running', 'sandboxes'))).toEqual([2, 3]);
});
