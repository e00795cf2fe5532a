import type { ProbeResult, RuntimeContainerStatus } from '@nodeagent/api';
import { parseTime, Quantity } from '@nodeagent/api/helpers';
import { createStatusManager } from '@nodeagent/status-manager';
import {
  applyProbeResults,
  checkContainerStateTransition,
  convertToApiContainerStatuses,
  equalByKubelet,
  generateAllContainersRestartingCondition,
  generateContainersReadyCondition,
  generatePodInitializedCondition,
  generatePodReadyCondition,
  getPhase,
  mergePodStatus,
  normalizeStatus,
} from '@nodeagent/status-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';
import { pendingTriggers } from '../masks.js';

/** A timestamp that no recorded case has; shown as `<now>`. */
const now = Date.UTC(2040, 0, 1);
const nowText = '2040-01-01T00:00:00Z';

const nanos = (time: string | undefined) => {
  const ms = parseTime(time);
  return ms === undefined ? undefined : BigInt(ms) * 1_000_000n;
};

interface RecordedRuntimeStatus {
  id: string;
  name: string;
  state: RuntimeContainerStatus['state'];
  createdAt?: string;
  startedAt?: string;
  finishedAt?: string;
  exitCode: number;
  image: string;
  imageRef: string;
  restartCount: number;
  reason: string;
  message: string;
  cpuRequest?: string;
  cpuLimit?: string;
  memoryRequest?: string;
  memoryLimit?: string;
}

function runtimeStatus(recorded: RecordedRuntimeStatus): RuntimeContainerStatus {
  const { createdAt, startedAt, finishedAt, cpuRequest, cpuLimit, memoryRequest, memoryLimit, ...same } = recorded;
  const milli = (text: string | undefined) => (text === undefined ? undefined : Number(Quantity.parse(text).milliValue()));
  const bytes = (text: string | undefined) => (text === undefined ? undefined : Quantity.parse(text).value());
  return {
    ...same,
    createdAt: nanos(createdAt) ?? 0n,
    ...(startedAt && { startedAt: nanos(startedAt) }),
    ...(finishedAt && { finishedAt: nanos(finishedAt) }),
    imageId: '',
    hash: '',
    podSandboxId: '',
    ...((cpuRequest || cpuLimit || memoryRequest || memoryLimit) && {
      resources: {
        ...(cpuRequest && { cpuRequest: milli(cpuRequest) }),
        ...(cpuLimit && { cpuLimit: milli(cpuLimit) }),
        ...(memoryRequest && { memoryRequest: bytes(memoryRequest) }),
        ...(memoryLimit && { memoryLimit: bytes(memoryLimit) }),
      },
    }),
  };
}

const probeResult = (recorded: string | undefined): ProbeResult | undefined =>
  recorded === undefined ? undefined : recorded === 'UNKNOWN' ? 'Unknown' : (recorded as ProbeResult);

/** Replays `@nodeagent/status-manager`. */
export const statusManagerAdapters: Adapter[] = [
  defineAdapter('get-phase', (input) => getPhase(input)),
  defineAdapter(
    'container-statuses',
    ({ pod, podRestarting, reasonCache, runtimeStatuses, oldContainerStatuses, oldInitContainerStatuses }) => {
      const common = {
        pod,
        podRestarting,
        runtimeName: 'cri',
        waitingReasons: reasonCache,
        runtimeStatuses: (runtimeStatuses ?? []).map(runtimeStatus),
      };
      return {
        containerStatuses: convertToApiContainerStatuses({ ...common, field: 'containers', oldStatuses: oldContainerStatuses }),
        initContainerStatuses: convertToApiContainerStatuses({ ...common, field: 'initContainers', oldStatuses: oldInitContainerStatuses }),
      };
    },
    { emptyMaps: ['waiting'] },
  ),
  defineAdapter('pod-conditions', ({ pod, containerStatuses, phase, conditions, oldStatus }) => {
    const input = { pod, phase, containerStatuses: containerStatuses ?? undefined };
    return {
      containersReady: generateContainersReadyCondition(input),
      ready: generatePodReadyCondition({ ...input, conditions: conditions ?? [] }),
      initialized: generatePodInitializedCondition({ ...input, oldStatus }),
    };
  }),
  defineAdapter('restarting-condition', ({ pod, phase, oldStatus, runtimeStatuses }) =>
    generateAllContainersRestartingCondition({ pod, phase, oldStatus, runtimeStatuses: (runtimeStatuses ?? []).map(runtimeStatus) }),
  ),
  defineAdapter('normalize-status', ({ pod, status }) => normalizeStatus(pod, status), { emptyMaps: ['waiting'] }),
  defineAdapter('status-equal', ({ old, new: newStatus }) => equalByKubelet(old, newStatus)),
  defineAdapter(
    'merge-status',
    ({ pod, apiStatus, newStatus, couldHaveRunningContainers }) =>
      JSON.parse(
        JSON.stringify(mergePodStatus({ pod, apiStatus, newStatus, couldHaveRunningContainers, now })).replaceAll(nowText, '<now>'),
      ),
    { emptyMaps: ['waiting'] },
  ),
  defineAdapter('state-transition', ({ old, new: newStatus, spec }) => ({
    error: checkContainerStateTransition(old, newStatus, spec)?.message ?? '',
  })),
  defineAdapter(
    'terminate-pod',
    ({ pod }) => {
      const pods = { podByUid: () => pod, mirrorPodByPod: () => undefined, translatePodUid: (uid: string) => uid };
      const manager = createStatusManager({ clock: { now: () => now }, pods });
      manager.terminatePod(pod);
      const entry = manager.versionedStatus(pod.metadata.uid);
      return {
        stored: entry !== undefined,
        podIsFinished: entry?.podIsFinished ?? false,
        status: JSON.parse(JSON.stringify(entry?.status ?? {}).replaceAll(nowText, '<now>')),
      };
    },
    { emptyMaps: ['waiting'] },
  ),
  defineAdapter(
    'probe-update-pod-status',
    ({ kubeletStart, pod, status, readinessResults, startupResults, workers }) => {
      const running = new Set<string>(workers);
      const probed = applyProbeResults(pod, status, {
        readiness: (id) => probeResult(readinessResults?.[id]),
        startup: (id) => probeResult(startupResults?.[id]),
        hasWorker: (name, kind) => running.has(`${name}/${kind === 'readiness' ? 'Readiness' : 'Startup'}`),
        startedAt: parseTime(kubeletStart) ?? 0,
      });
      const flags = (list: { name: string; started?: boolean; ready: boolean }[] | undefined) =>
        list?.map(({ name, started, ready }) => ({ name, started, ready }));
      return {
        containers: flags(probed.status.containerStatuses),
        initContainers: flags(probed.status.initContainerStatuses),
        triggered: probed.containersToProbe,
      };
    },
    { masks: [pendingTriggers] },
  ),
];
