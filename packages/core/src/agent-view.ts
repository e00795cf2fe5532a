import type { Pod } from '@nodeagent/api';
import { podFullName, podUid } from '@nodeagent/api/helpers';
import { createNodeStreaming } from '@nodeagent/server/streaming';
import type { WaitingReason } from '@nodeagent/status-manager';
import type { Components } from './components.js';
import type { NodeAgent, PodView } from './options/node-agent.js';
import { withBackOffs } from './view/back-off-status.js';

/** The read-only side of {@link NodeAgent}. */
export type AgentView = Omit<NodeAgent, 'start' | 'stop' | 'stopPods' | 'shutdown' | 'syncNodeStatus'>;

export function createAgentView(c: Components): AgentView {
  const { emitter, ready, recorder, state, cluster, monitor, podWorkers, imageManager, probeManager, runtime, capabilities, server } = c;
  return {
    ready: ready.promise,
    pods: () =>
      presentPods(c)
        .map((pod) => podView(c, pod))
        .sort((a, b) => podFullName(a.pod).localeCompare(podFullName(b.pod))),
    runtimeErrors: monitor.runtimeErrors,
    clusterError: () => cluster?.connection.error(),
    certificates: () => c.agent.cluster?.certificates?.explain() ?? {},
    explain(uid) {
      const explanation = podWorkers.explain(uid);
      return explanation && { ...explanation, backOffs: explanation.state === 'SyncPod' ? state.backOffs.get(uid) : [] };
    },
    podCgroup(uid) {
      const pod = presentPods(c).find((each) => podUid(each) === uid);
      return pod && c.containerManager?.isEnabled ? c.containerManager.pods.describe(c.allocation.updatePodFromAllocation(pod)) : undefined;
    },
    podAssignments(uid) {
      const pod = presentPods(c).find((each) => podUid(each) === uid);
      return pod && c.resourceManagers?.assignments(pod);
    },
    devicePlugins: () => c.devices?.manager?.explain(),
    dynamicResources: () => c.dynamicResources?.explain(),
    stats: c.stats,
    eviction: c.eviction,
    imageGc: c.imageGc,
    probeResults: probeManager.results,
    streaming: createNodeStreaming(runtime, capabilities.streaming),
    serverPorts: () => server?.ports,
    events: recorder.of,
    pulls: () => imageManager.pulls(),
    on: (event, listener) => void emitter.on(event, listener as never),
    off: (event, listener) => void emitter.off(event, listener as never),
  };
}

/** The desired pods of all sources, and removed pods that are not cleaned up yet. */
export function presentPods({ state, removedPods }: Components): Pod[] {
  return [...state.podManager.pods(), ...removedPods.pods()];
}

/** Emits each status that the status manager accepts. */
export function emitStatuses({ state, removedPods, emitter, statusManager }: Components): void {
  statusManager.onStatus((uid, status) => {
    const pod = state.podManager.podByUid(uid) ?? removedPods.get(uid);
    if (pod !== undefined && status !== undefined) emitter.emit('status', pod, status);
  });
}

function podView({ state, statusManager, removedPods, podWorkers, recorder }: Components, pod: Pod): PodView {
  const uid = podUid(pod);
  const status = statusManager.getPodStatus(uid) ?? removedPods.lastStatus(uid) ?? pod.status ?? {};
  const workerState = podWorkers.state(uid);
  return {
    pod,
    status: workerState === 'SyncPod' ? withBackOffs(status, waitingReasons(state, uid)) : status,
    state: workerState,
    lastEvent: recorder.last(uid),
  };
}

/** Why the containers that are in back-off wait. */
function waitingReasons({ backOffs, startFailures }: Components['state'], uid: string): Record<string, WaitingReason> {
  return Object.fromEntries(
    backOffs.get(uid).map(({ container, reason }) => [container, startFailures.get(uid, container) ?? { reason, message: '' }]),
  );
}
