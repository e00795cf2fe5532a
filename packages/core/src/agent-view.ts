import { type Pod, podFullName, podUid } from '@nodeagent/api';
import type { Components, Needs } from './components.js';
import type { NodeAgent, PodView } from './options/node-agent.js';
import { createAgentStreaming } from './subsystems/agent-server.js';

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
    stats: c.stats.provider,
    eviction: c.eviction,
    imageGc: c.imageGc,
    probeResults: probeManager.results,
    streaming: createAgentStreaming(runtime, capabilities.streaming),
    serverPorts: () => server?.ports,
    events: recorder.of,
    pulls: () => imageManager.pulls(),
    on: (event, listener) => void emitter.on(event, listener as never),
    off: (event, listener) => void emitter.off(event, listener as never),
  };
}

/** The desired pods of all sources, and removed pods that are not cleaned up yet. */
export function presentPods({ state, removedPods }: Needs<'state' | 'removedPods'>): Pod[] {
  return [...state.podManager.pods(), ...removedPods.pods()];
}

/** Emits each status that the status manager accepts. */
export function emitStatuses({
  state,
  removedPods,
  emitter,
  statusManager,
}: Needs<'state' | 'removedPods' | 'emitter' | 'statusManager'>): void {
  statusManager.onStatus((uid, status) => {
    const pod = state.podManager.podByUid(uid) ?? removedPods.get(uid);
    if (pod !== undefined && status !== undefined) emitter.emit('status', pod, status);
  });
}

function podView({ statusManager, podWorkers, recorder }: Needs<'statusManager' | 'podWorkers' | 'recorder'>, pod: Pod): PodView {
  const uid = podUid(pod);
  return {
    pod,
    status: statusManager.getPodStatus(uid) ?? pod.status ?? {},
    state: podWorkers.state(uid),
    lastEvent: recorder.last(uid),
  };
}
