import type { Pod, PodLifecycleEventGenerator, SyncResult } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { EventedPleg } from '@nodeagent/pleg';
import type { AgentParts, Components } from '../components.js';
import { createPodCgroupSteps } from '../pods/pod-cgroup-steps.js';
import { createPodStatusGenerator, type PodStatusGeneratorOptions } from '../pods/pod-status-generator.js';
import { createPodSyncer, type PodSyncerOptions } from '../pods/pod-syncer.js';

/** Runs the steps of a pod's sync. */
export function syncer(c: Components): AgentParts['syncer'] {
  const { host, state, common, runtime, statusManager, probeManager, cluster, monitor, volumeManager, allocation, deadlines, resizes } = c;
  const { podManager, startFailures, backOffs, syncSignals } = state;
  const { containerManager, dynamicResources } = c;
  return createPodSyncer({
    runtime,
    observe(uid) {
      const { podCache } = state;
      if (!(isEventedPleg(c.pleg) && c.pleg.mode() === 'evented')) return undefined;
      const revision = podCache.revision();
      return { revision, status: podCache.getNewerThan(uid, revision, c.ended.signal) };
    },
    statusManager,
    generateStatus: statusGenerator(c),
    startFailures: {
      update(uid, result) {
        for (const each of [startFailures, backOffs, resizes]) each.update(uid, result);
        if (result.results.some(isDoneResize)) void allocation.retryPendingResizes('pod_resized');
      },
    },
    podDirs: host.podDirs,
    networkError: monitor.networkError,
    volumeManager,
    ...(containerManager && { cgroups: createPodCgroupSteps({ containerManager, runtime, resizing: c.capabilities.resizing, ...common }) }),
    probeManager,
    ...(dynamicResources && { unprepareDynamicResources: (pod: Pod) => dynamicResources.unprepareResources(pod, c.ended.signal) }),
    ...(cluster && {
      reconcileMirrorPod: (pod: Pod) => void cluster.mirrorPods.reconcile(pod, podManager.mirrorPodByPod(pod)),
    }),
    onSync: (pod) => cluster?.objects?.registerPod(pod),
    onContainersReset: (pod) => c.handler.syncPods([podUid(pod)], 'RestartAllContainers'),
    isRemoved: (uid) => podManager.podByUid(uid) === undefined,
    onTerminated(pod) {
      cluster?.objects?.unregisterPod(pod);
      void allocation.retryPendingResizes('pod_terminated');
    },
    onStatus: (pod) => deadlines.update(pod, statusManager.getPodStatus(podUid(pod))?.startTime),
    syncSignals,
    recorder: common.recorder,
    logger: common.logger,
  });
}

function statusGenerator(c: Components): PodSyncerOptions['generateStatus'] {
  const { state, common, node, runtime, statusManager, probeManager, allocation, resizes } = c;
  return createPodStatusGenerator({
    runtime,
    resizing: c.capabilities.resizing,
    statusManager,
    probeManager,
    podWorkers: { isPodTerminationRequested: (uid) => c.podWorkers.isPodTerminationRequested(uid) },
    allocation,
    podByUid: (uid) => state.podManager.podByUid(uid),
    resizes,
    startFailures: state.startFailures,
    hostIps: node.hostIps,
    resourceHealth: resourceHealthOf(c),
    clock: common.clock,
  });
}

/** The health of the devices of a pod's containers, by container: of device plugins, then of claims. */
function resourceHealthOf({ devices, dynamicResources }: Components): PodStatusGeneratorOptions['resourceHealth'] {
  if (devices === undefined && dynamicResources === undefined) return undefined;
  return (pod) => {
    const ofPlugins = devices?.resourceHealth(podUid(pod)) ?? {};
    const ofClaims = dynamicResources?.resourceHealth(pod) ?? {};
    const names = new Set([...Object.keys(ofPlugins), ...Object.keys(ofClaims)]);
    return Object.fromEntries([...names].map((name) => [name, [...(ofPlugins[name] ?? []), ...(ofClaims[name] ?? [])]]));
  };
}

const isEventedPleg = (pleg: PodLifecycleEventGenerator): pleg is EventedPleg => 'mode' in pleg;

const isDoneResize = ({ action, error }: SyncResult) => action === 'ResizePodInPlace' && error === undefined;
