import type { Clock, PodRuntimeStatus, Runtime, RuntimeContainer, RuntimePod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';

/** For tests: a runtime with its contract alone, whose pods have one container that runs until the pod is killed. */
export function createOneContainerRuntime(clock: Clock): Runtime {
  const pods = new Map<string, { pod: RuntimePod; container: RuntimeContainer }>();
  const now = () => BigInt(clock.now()) * 1_000_000n;
  return {
    runtimeName: 'one',
    checkRuntime: async () => {},
    status: async () => ({ runtimeReady: true, networkReady: true, runtimeMessage: '', networkMessage: '' }),
    getPods: async (all) => [...pods.values()].filter(({ container }) => all || container.state === 'running').map(({ pod }) => pod),
    getPod: async (uid) => pods.get(uid)?.pod,
    async getPodStatus({ uid, name, namespace }): Promise<PodRuntimeStatus> {
      const container = pods.get(uid)?.container;
      const containerStatuses = container
        ? [{ ...container, exitCode: 0, restartCount: 0, reason: '', message: '', startedAt: container.createdAt }]
        : [];
      const state = container?.state === 'running' ? 'ready' : 'notReady';
      const sandbox = { id: uid, attempt: 0, state, createdAt: now(), networkMode: 'NODE', runtimeHandler: '' } as const;
      return {
        uid,
        name,
        namespace,
        ips: [],
        containerStatuses,
        activeContainerStatuses: containerStatuses,
        sandboxStatuses: container ? [sandbox] : [],
      };
    },
    async syncPod(pod) {
      const uid = podUid(pod);
      const name = pod.spec?.containers[0]?.name ?? '';
      if (pods.has(uid)) return { results: [] };
      const container: RuntimeContainer = {
        ...{ id: `${uid}-1`, name, state: 'running', createdAt: now(), image: '', imageId: '', imageRef: '', hash: '', podSandboxId: uid },
      };
      const identity = { uid, name: pod.metadata?.name ?? '', namespace: pod.metadata?.namespace ?? '' };
      pods.set(uid, { container, pod: { ...identity, containers: [container], sandboxes: [{ ...container, id: uid, name: '' }] } });
      return { results: [{ action: 'StartContainer', target: name }] };
    },
    async killPod(_pod, { uid }) {
      const found = pods.get(uid);
      if (found) found.container.state = 'exited';
      return { results: [] };
    },
    async garbageCollect() {
      for (const [uid, { container }] of pods) if (container.state === 'exited') pods.delete(uid);
    },
    collectBackOff: () => {},
  };
}
