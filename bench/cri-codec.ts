import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, CreateContainerRequest } from '@nodeagent/cri-api';
import { createCriClient, serveCri } from '@nodeagent/cri-client';
import { runtimeServiceMethods } from '../packages/cri-client/src/generated/codec.js';

const hex = (character: string, index: number): string => `${index}`.padStart(64, character);

/** A container as containerd lists it. */
function container(index: number): Container {
  return {
    id: hex('a', index),
    podSandboxId: hex('b', index),
    metadata: { name: 'main', attempt: index % 3 },
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
    annotations: {
      'io.kubernetes.container.hash': '1f2e3d4c',
      'io.kubernetes.container.restartCount': '0',
      'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
      'io.kubernetes.container.terminationMessagePolicy': 'File',
      'io.kubernetes.pod.terminationGracePeriod': '30',
    },
    imageId: `sha256:${hex('c', 1)}`,
  };
}

const createRequest: CreateContainerRequest = {
  podSandboxId: hex('b', 1),
  config: {
    metadata: { name: 'main', attempt: 0 },
    image: { image: 'registry.k8s.io/web:1.2.3' },
    command: ['/bin/web'],
    envs: Array.from({ length: 30 }, (_, index) => ({ key: `SERVICE_${index}_HOST`, value: Buffer.from(`10.96.0.${index}`) })),
    mounts: Array.from({ length: 5 }, (_, index) => ({
      containerPath: `/mnt/${index}`,
      hostPath: `/var/lib/kubelet/pods/x/volumes/${index}`,
    })),
    labels: container(1).labels,
    annotations: container(1).annotations,
    linux: { resources: { cpuShares: 102n, cpuPeriod: 100_000n, memoryLimitInBytes: 134_217_728n, oomScoreAdj: 998n } },
  },
};

/** Microseconds an operation takes: the best of five rounds. */
async function microseconds(count: number, operation: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    for (let i = 0; i < count; i++) await operation();
    best = Math.min(best, ((performance.now() - started) * 1000) / count);
  }
  return best;
}

/** The CRI codec, and a call through the client and server of one process; one line a case. */
export async function benchCriCodec(report: (line: string) => void): Promise<void> {
  const measure = async (name: string, count: number, operation: () => unknown): Promise<void> =>
    report(`${name}: ${(await microseconds(count, operation)).toFixed(0)} us/op`);

  const { response: list } = runtimeServiceMethods.listContainers;
  const { request: create } = runtimeServiceMethods.createContainer;
  const answer = { containers: Array.from({ length: 100 }, (_, index) => container(index)) };
  const answerBytes = list.encode(answer);
  const requestBytes = create.encode(createRequest);
  await measure('cri-codec decode ListContainers 100', 300, () => list.decode(answerBytes));
  await measure('cri-codec encode ListContainers 100', 300, () => list.encode(answer));
  await measure('cri-codec decode CreateContainer', 3000, () => create.decode(requestBytes));
  await measure('cri-codec encode CreateContainer', 3000, () => create.encode(createRequest));

  const dir = mkdtempSync(join(tmpdir(), 'cri-bench-'));
  const server = await serveCri({ runtime: { listContainers: async () => answer } }, { socket: join(dir, 'cri.sock') });
  const client = createCriClient({ endpoint: server.socket });
  try {
    await measure('cri-client call ListContainers 100', 200, () => client.runtime.listContainers({}));
    await measure('cri-client call ListContainers 100, 16 at once', 20, () =>
      Promise.all(Array.from({ length: 16 }, () => client.runtime.listContainers({}))),
    );
  } finally {
    client.close();
    await server.close();
    rmSync(dir, { recursive: true });
  }
}
