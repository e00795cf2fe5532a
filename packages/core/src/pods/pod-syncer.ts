import { rejectPod } from '@nodeagent/allocation';
import {
  type EventRecorder,
  errorCode,
  errorHint,
  errorMessage,
  type Logger,
  NodeAgentError,
  type Pod,
  type PodRuntimeStatus,
  type PodStatus,
  type PodSyncer,
  type PodSyncResult,
  type ProbeManager,
  type Runtime,
  type StatusManager,
  type VolumeManager,
} from '@nodeagent/api';
import { configSourceAnnotation, isPodConditionTrue, isStaticPod, isTerminalPhase, podReference, podUid } from '@nodeagent/api/helpers';
import { convertPodStatusToRunningPod } from '@nodeagent/runtime-manager/decisions';
import { deadlineExceeded } from '@nodeagent/status-manager/decisions';
import { coreErrorCodes } from '../errors.js';
import type { PodDirs } from '../host/pod-dirs.js';
import type { PodCgroupSteps } from './pod-cgroup-steps.js';

/** Code of the volume manager's error, and reason of the pod that fails with it. */
const attachmentLimit = 'VolumeAttachmentLimitExceeded';

/** Why a container of a pod last failed to start. */
interface StartFailures {
  update(podUid: string, result: PodSyncResult): void;
}

export interface PodSyncerOptions {
  runtime: Pick<Runtime, 'syncPod' | 'killPod' | 'getPod' | 'getPodStatus'>;
  /**
   * A status of the pod from the PLEG that is newer than `revision`, a revision of the cache from the call; undefined while the PLEG does not
   * inspect pods at once. Default: none.
   */
  observe?(podUid: string): { revision: number; status: Promise<PodRuntimeStatus> } | undefined;
  statusManager: Pick<StatusManager, 'setPodStatus' | 'terminatePod'>;
  /** Generates the pod's API status. */
  generateStatus(pod: Pod, status: PodRuntimeStatus, podIsTerminal: boolean): PodStatus;
  startFailures: StartFailures;
  podDirs: Pick<PodDirs, 'create'>;
  /** Why pods without host network cannot start; undefined if the network is ready. */
  networkError(): string | undefined;
  volumeManager: Pick<VolumeManager, 'waitForAttachAndMount' | 'waitForUnmount'>;
  /** Default: pods have no separate cgroups. */
  cgroups?: PodCgroupSteps | undefined;
  probeManager?: ProbeManager;
  /** Unprepares the claims of a pod whose containers have stopped. Default: pods have no claims. */
  unprepareDynamicResources?(pod: Pod): Promise<void>;
  /** Creates or updates a static pod's mirror pod. Not awaited, so that static pods run without an API server. */
  reconcileMirrorPod?(pod: Pod): void;
  /** Called with each generated status of a pod that is not terminating. */
  onStatus(pod: Pod): void;
  /** Called at the start of each sync of a pod, before its objects are read. */
  onSync(pod: Pod): void;
  /** Called after the removal of all containers by a `RestartAllContainers` rule; the pod must be synced again to start them. */
  onContainersReset(pod: Pod): void;
  /** Whether no source has the pod any more. Default: false. */
  isRemoved?(podUid: string): boolean;
  /** Called when a pod's containers have stopped permanently and its resources are free. */
  onTerminated(pod: Pod): void;
  /** By UID, the abort signal of the running sync, which ends waits such as image pulls. */
  syncSignals: Map<string, AbortSignal>;
  recorder: EventRecorder;
  logger: Logger;
}

/** The four syncs of a pod worker, in the kubelet's order of steps. */
export function createPodSyncer(options: PodSyncerOptions): PodSyncer {
  const { runtime, statusManager, generateStatus, startFailures, podDirs, networkError, cgroups, probeManager, reconcileMirrorPod } =
    options;
  const { onStatus, onSync, onContainersReset, syncSignals, recorder, logger } = options;

  return {
    async syncPod(type, pod, observed, signal) {
      const status = generateStatus(pod, observed, false);
      statusManager.setPodStatus(pod, status);
      onStatus(pod);
      if (isTerminalPhase(status.phase)) {
        if (isStaticPod(pod)) reconcileMirrorPod?.(pod);
        const { reason, message } = deadlineExceeded;
        if (status.reason === reason) recorder.event(podReference(pod), 'Normal', reason, message);
        return { terminal: true, changed: false };
      }

      const network = networkError();
      if (network !== undefined && !pod.spec?.hostNetwork) {
        fail(recorder, pod, 'NetworkNotReady', coreErrorCodes.networkNotReady, `network is not ready: ${network}`, undefined);
      }
      onSync(pod);
      await cgroups?.ensure(pod, status, observed);
      signal.throwIfAborted();
      if (isStaticPod(pod)) reconcileMirrorPod?.(pod);
      try {
        await podDirs.create(podUid(pod));
      } catch (error) {
        fail(recorder, pod, 'Failed', coreErrorCodes.podDirsFailed, `error making pod data directories: ${errorMessage(error)}`, error);
      }
      const rejected = await prepareVolumes(options, pod, signal);
      if (rejected !== undefined) {
        rejectPod(pod, { admit: false, reason: attachmentLimit, message: rejected }, { recorder, statusManager });
        return { terminal: true, changed: false };
      }
      signal.throwIfAborted();
      probeManager?.addPod(pod);

      syncSignals.set(podUid(pod), signal);
      const restartAllContainers = isPodConditionTrue(status, 'AllContainersRestarting');
      const runtimeOptions = { restartAllContainers, startedEphemeralContainers: startedEphemeralContainers(status) };
      let result: PodSyncResult;
      try {
        result = await runtime.syncPod(pod, observed, runtimeOptions);
      } finally {
        syncSignals.delete(podUid(pod));
      }
      startFailures.update(podUid(pod), result);
      logger.debug({ podUID: podUid(pod), type, results: result.results.length }, 'synced pod');
      const error = failureOf(result);
      // The PLEG emits no event when exited containers are removed. After a failure the worker retries anyway.
      if (restartAllContainers && !error && result.results.some(({ action }) => action === 'RemoveContainer')) onContainersReset(pod);
      return {
        terminal: false,
        changed: result.results.some(({ action }) => action !== 'ConfigPodSandbox'),
        ...(result.reasons && { reasons: result.reasons }),
        ...(error && { error }),
      };
    },

    ...terminatingSyncs(options),
  };
}

/** The status outlives the runtime's record of an exited container, which garbage collection or an operator can remove. */
function startedEphemeralContainers({ ephemeralContainerStatuses = [] }: PodStatus): ReadonlySet<string> {
  const started = ephemeralContainerStatuses.filter(({ state, lastState }) => state?.running || state?.terminated || lastState?.terminated);
  return new Set(started.map(({ name }) => name));
}

/** The syncs of a terminating pod, and of one whose containers have stopped. */
function terminatingSyncs(options: PodSyncerOptions): Omit<PodSyncer, 'syncPod'> {
  const { runtime, statusManager, generateStatus, volumeManager, cgroups, probeManager, onTerminated, recorder } = options;
  /** The phase of a static pod is never final because the pod restarts, unless its source has removed it. */
  const ending = (pod: Pod): Pod => (isStaticPod(pod) && options.isRemoved?.(podUid(pod)) ? withoutSource(pod) : pod);
  return {
    async syncTerminatingPod(pod, observed, gracePeriodOverride, podStatusFunc, signal) {
      const before = generateStatus(pod, observed, false);
      statusManager.setPodStatus(pod, podStatusFunc?.(before) ?? before);
      probeManager?.stopLivenessAndStartup(pod);

      const killed = await runtime.killPod(pod, convertPodStatusToRunningPod(observed), gracePeriodOverride, signal);
      const killError = firstError(killed);
      if (killError) {
        signal.throwIfAborted();
        const message = `error killing pod: ${errorMessage(killError)}`;
        fail(recorder, pod, 'FailedKillPod', coreErrorCodes.killPodFailed, message, killError);
      }
      await cgroups?.killed();
      probeManager?.removePod(pod);

      const observation = options.observe?.(podUid(pod));
      const after = await (observation?.status ?? readStatus(runtime, pod, observed));
      const running = after.containerStatuses.filter(({ state }) => state === 'running').map(({ name }) => name);
      if (running.length > 0) {
        throw new NodeAgentError(
          coreErrorCodes.criViolation,
          `detected running containers after a successful KillPod, CRI violation: [${running.join(' ')}]`,
          { retryable: true },
        );
      }
      await options.unprepareDynamicResources?.(pod);
      const status = generateStatus(ending(pod), { ...after, ips: after.ips.length > 0 ? after.ips : observed.ips }, true);
      statusManager.setPodStatus(pod, podStatusFunc?.(status) ?? status);
      return observation ? { stoppedRevision: observation.revision } : {};
    },

    async syncTerminatingRuntimePod(running, signal) {
      const killed = await runtime.killPod(undefined, running, 1, signal);
      const error = firstError(killed);
      if (error) {
        signal.throwIfAborted();
        throw error;
      }
      await cgroups?.killed();
    },

    async syncTerminatedPod(pod, observed, signal, podStatusFunc) {
      onTerminated(pod);
      const status = generateStatus(ending(pod), observed, true);
      statusManager.setPodStatus(pod, podStatusFunc?.(status) ?? status);
      if ((pod.spec?.volumes?.length ?? 0) > 0) await volumeManager.waitForUnmount(pod, signal);
      await cgroups?.remove(pod);
      statusManager.terminatePod(ending(pod));
    },
  };
}

function withoutSource(pod: Pod): Pod {
  const { [configSourceAnnotation]: _source, ...annotations } = pod.metadata?.annotations ?? {};
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

async function readStatus(runtime: PodSyncerOptions['runtime'], pod: Pod, observed: PodRuntimeStatus): Promise<PodRuntimeStatus> {
  const left = await runtime.getPod(podUid(pod));
  return left ? runtime.getPodStatus(left) : { ...observed, containerStatuses: [], activeContainerStatuses: [], sandboxStatuses: [] };
}

/** Emits a warning event for the pod and throws the error. */
function fail(recorder: EventRecorder, pod: Pod, reason: string, code: string, message: string, cause: unknown): never {
  recorder.event(podReference(pod), 'Warning', reason, message, undefined, errorHint(cause));
  throw new NodeAgentError(code, message, { cause, retryable: true });
}

/** Waits for the pod's volumes. Resolves to the failure if the node can never attach them, else to undefined. */
async function prepareVolumes(
  { volumeManager, recorder }: Pick<PodSyncerOptions, 'volumeManager' | 'recorder'>,
  pod: Pod,
  signal: AbortSignal,
): Promise<string | undefined> {
  if ((pod.spec?.volumes?.length ?? 0) === 0) return undefined;
  try {
    await volumeManager.waitForAttachAndMount(pod, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const message = errorMessage(error);
    if (errorCode(error) === attachmentLimit) return message;
    fail(recorder, pod, 'FailedMount', coreErrorCodes.volumesNotReady, `Unable to attach or mount volumes: ${message}`, error);
  }
  return undefined;
}

function firstError({ error, results }: PodSyncResult): Error | undefined {
  return error ?? results.find((result) => result.error)?.error;
}

/** One error for all failures; its causes contain each of them, so that the earliest back-off can be found. */
function failureOf({ error, results }: PodSyncResult): Error | undefined {
  const errors = [...results.flatMap((result) => (result.error ? [result.error] : [])), ...(error ? [error] : [])];
  const unique = [...new Map(errors.map((each) => [errorMessage(each), each])).values()];
  const [first] = unique;
  if (first === undefined || unique.length === 1) return first;
  const text = `[${unique.map(errorMessage).join(', ')}]`;
  return new NodeAgentError(errorCode(first) ?? coreErrorCodes.syncFailed, text, {
    retryable: true,
    cause: new AggregateError(unique, text),
  });
}
