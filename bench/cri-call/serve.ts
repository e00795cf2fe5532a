import type { Container } from '@nodeagent/cri-api';
import { serveCri } from '@nodeagent/cri-client';

const hex = (character: string, index: number): string => `${index}`.padStart(64, character);

/** A container as containerd lists it. */
const container = (index: number): Container => ({
  id: hex('a', index),
  podSandboxId: hex('b', index),
  metadata: { name: 'main', attempt: 0 },
  image: { image: `sha256:${hex('c', 1)}`, userSpecifiedImage: 'registry.k8s.io/web:1.2.3' },
  imageRef: `sha256:${hex('c', 1)}`,
  state: 'CONTAINER_RUNNING',
  createdAt: 1_763_700_000_123_456_789n + BigInt(index),
  labels: {
    'io.kubernetes.container.name': 'main',
    'io.kubernetes.pod.name': `web-${index}-7d9c5b8f6d-x2x4q`,
    'io.kubernetes.pod.namespace': 'default',
    'io.kubernetes.pod.uid': `5f0e7f0a-1111-2222-3333-${`${index}`.padStart(12, '0')}`,
  },
  annotations: { 'io.kubernetes.container.hash': '1f2e3d4c', 'io.kubernetes.pod.terminationGracePeriod': '30' },
  imageId: `sha256:${hex('c', 1)}`,
});

const version = { version: '0.1.0', runtimeName: 'bench', runtimeVersion: '1.0.0', runtimeApiVersion: 'v1' };
const containers = Array.from({ length: 100 }, (_, index) => container(index));

/** Serves Version and ListContainers on the socket that is its first argument, until it is killed. */
await serveCri(
  { runtime: { version: async () => version, listContainers: async () => ({ containers }) } },
  { socket: process.argv[2] ?? '' },
);
process.stdout.write('serving\n');
