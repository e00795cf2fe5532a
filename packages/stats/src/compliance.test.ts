import { defineSuite, type Fixture, type StatsProviderSubject, statsProviderSuite } from '@nodeagent/compliance';
import type { Container, PodSandbox } from '@nodeagent/cri-api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createCgroupReader } from './cgroup/cgroup-reader.js';
import { createStatsProvider } from './provider/stats-provider.js';
import { layOut, webPod } from './test-harness.js';

const { uid, sandboxId, containerId } = webPod;
const pod = { name: 'web', namespace: 'default', uid };
/** What the recorded tree has of the container. */
const inactiveFileBytes = 6_000_078n;
const common = { createdAt: 0n, labels: {}, annotations: {} };

const sandbox: PodSandbox = { ...common, id: sandboxId, metadata: { ...pod, attempt: 0 }, state: 'SANDBOX_READY', runtimeHandler: '' };
const container: Container = {
  ...common,
  id: containerId,
  podSandboxId: sandboxId,
  metadata: { name: 'main', attempt: 0 },
  image: { image: 'busybox:1' } as Container['image'],
  imageRef: '',
  imageId: '',
  state: 'CONTAINER_RUNNING',
};

/** The cgroups of a recorded node and a runtime that lists one of its pods. */
function nodeSubject(): Fixture<StatsProviderSubject> {
  const tree = layOut('v2-cgroupfs');
  const clock = createVirtualClock();
  let isFailing = false;
  const answer = async <T>(value: T) => {
    await clock.sleep(5);
    if (isFailing) throw new Error('the runtime is away');
    return value;
  };
  const stats = createStatsProvider({
    nodeName: 'n1',
    cri: {
      runtime: {
        listContainers: () => answer({ containers: [container] }),
        listPodSandbox: () => answer({ items: [sandbox] }),
        listContainerStats: () => answer({ stats: [{ attributes: { id: containerId, labels: {}, annotations: {} } }] }),
      },
    },
    reader: createCgroupReader({ ...tree.roots, clock }),
    fileSystems: {
      usage: async () => ({ capacityBytes: 1000n, availableBytes: 300n, usedBytes: 600n, inodes: 100n, inodesFree: 40n }),
      filesIn: async () => ({ bytes: 512n, inodes: 1n }),
      file: async () => ({ bytes: 4096n, inodes: 1n }),
    },
    clock,
  });
  return {
    subject: {
      stats,
      nodeName: 'n1',
      container: { pod, name: 'main' },
      use: (bytes) => tree.write(`kubepods/burstable/pod${uid}/${containerId}/memory.current`, `${bytes + inactiveFileBytes}\n`),
      setFailing: (next) => {
        isFailing = next;
      },
      advance: clock.advance,
    },
    cleanup: tree.destroy,
  };
}

describe('the stats of a node keep the promises of a', () => {
  defineSuite({ describe, it }, statsProviderSuite, nodeSubject);
});
