import type { Container, PodSandbox } from '@nodeagent/cri-api';
import { expect, it } from 'vitest';
import { podsFromListing } from './listing.js';

const labels = (uid: string, name = '') => ({
  'io.kubernetes.pod.uid': uid,
  'io.kubernetes.pod.name': `pod-${uid}`,
  'io.kubernetes.pod.namespace': 'ns',
  ...(name && { 'io.kubernetes.container.name': name }),
});
const sandbox = (id: string, uid: string, attempt: number, createdAt: bigint, more: Partial<PodSandbox> = {}): PodSandbox => ({
  id,
  metadata: { name: `pod-${uid}`, namespace: 'ns', uid, attempt },
  state: 'SANDBOX_READY',
  createdAt,
  labels: labels(uid),
  annotations: {},
  runtimeHandler: '',
  ...more,
});
const container = (id: string, uid: string, createdAt: bigint, more: Partial<Container> = {}): Container => ({
  id,
  podSandboxId: 'sb',
  metadata: { name: 'c', attempt: 0 },
  image: { image: 'busybox:1' },
  imageRef: 'sha256:1',
  imageId: '',
  state: 'CONTAINER_RUNNING',
  createdAt,
  labels: labels(uid, 'c'),
  annotations: { 'io.kubernetes.container.hash': 'ab12' },
  ...more,
});

it('orders sandboxes by attempt, then age, then id; containers by age, then id', () => {
  const [pod] = podsFromListing(
    [sandbox('s1', 'u', 0, 9n), sandbox('s3', 'u', 1, 5n), sandbox('s2', 'u', 1, 5n), sandbox('s4', 'u', 1, 6n)],
    [container('c1', 'u', 1n), container('c3', 'u', 2n), container('c2', 'u', 2n)],
  );
  expect(pod?.sandboxes.map(({ id }) => id)).toEqual(['s4', 's2', 's3', 's1']);
  expect(pod?.containers.map(({ id }) => id)).toEqual(['c2', 'c3', 'c1']);
  expect(pod).toMatchObject({ uid: 'u', name: 'pod-u', namespace: 'ns' });
});

it('lists a pod that has containers but no sandbox', () => {
  expect(podsFromListing([], [container('c1', 'u', 1n)])).toMatchObject([
    { uid: 'u', name: 'pod-u', namespace: 'ns', sandboxes: [], containers: [{ name: 'c', hash: 'ab12', imageId: 'sha256:1' }] },
  ]);
});

it('omits containers without identity labels, and handles unknown states and invalid hashes', () => {
  const without = { metadata: undefined } as unknown as Partial<PodSandbox & Container>;
  expect(podsFromListing([sandbox('s', 'u', 0, 1n, without)], [container('c', 'u', 1n, without)])).toEqual([]);
  const none = { image: undefined } as unknown as Partial<Container>;
  expect(podsFromListing([], [container('', 'u', 1n), container('x', 'u', 1n, none)])).toEqual([]);
  const [pod] = podsFromListing(
    [],
    [container('c', 'u', 1n, { state: 'CONTAINER_UNKNOWN', annotations: { 'io.kubernetes.container.hash': '!' } })],
  );
  expect(pod?.containers[0]).toMatchObject({ state: 'unknown', hash: '' });
});
