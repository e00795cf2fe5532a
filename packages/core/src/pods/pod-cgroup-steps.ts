import {
  type EventRecorder,
  errorMessage,
  type Logger,
  NodeAgentError,
  type Pod,
  type PodRuntimeStatus,
  type PodStatus,
  podKey,
  podReference,
  podUid,
  type ResizableRuntime,
  type Runtime,
} from '@nodeagent/api';
import type { ContainerManager } from '@nodeagent/container-manager';
import { convertPodStatusToRunningPod } from '@nodeagent/runtime-manager/decisions';
import { coreErrorCodes } from '../errors.js';

export interface PodCgroupStepsOptions {
  containerManager: ContainerManager;
  runtime: Pick<Runtime, 'killPod'>;
  /** Whether a resize of the pod is not yet in force. */
  resizing: Pick<ResizableRuntime, 'isPodResizeInProgress'>;
  recorder: EventRecorder;
  logger: Logger;
}

/** The steps of a pod's syncs that concern its cgroup. Without writable cgroups they do nothing. */
export interface PodCgroupSteps {
  /**
   * Creates the pod's cgroup. In one of a previous run of the agent, it sets the values that an interrupted resize left. A pod that runs without one, because it was removed or a previous agent ran without cgroups, is killed
   * first, so that its containers restart in it. Emits `FailedCreatePodContainer` and rejects if the cgroup cannot be created.
   */
  ensure(pod: Pod, status: PodStatus, observed: PodRuntimeStatus): Promise<void>;
  /** Called when a pod's containers have been killed. */
  killed(): Promise<void>;
  /** Removes the cgroup of a terminated pod. */
  remove(pod: Pod): Promise<void>;
}

export function createPodCgroupSteps({ containerManager, runtime, resizing, recorder, logger }: PodCgroupStepsOptions): PodCgroupSteps {
  /** UIDs of pods whose cgroups have the values of their specs. */
  const current = new Set<string>();

  /** A resize in progress sets the values itself, in an order in which the containers fit into the pod. */
  async function adopt(pod: Pod, observed: PodRuntimeStatus): Promise<void> {
    if (current.has(podUid(pod)) || resizing.isPodResizeInProgress(pod, observed)) return;
    try {
      await containerManager.pods.update(pod);
      current.add(podUid(pod));
    } catch (error) {
      logger.warn({ pod: podKey(pod), podUID: podUid(pod), err: error }, 'failed to update the cgroup of a pod; its next sync retries');
    }
  }

  /** Whether the pod was killed because it runs without its cgroup. */
  async function killIfRunning(pod: Pod, status: PodStatus, observed: PodRuntimeStatus): Promise<boolean> {
    if (!status.containerStatuses?.some(({ state }) => state?.running)) return false;
    logger.info({ pod: podKey(pod), podUID: podUid(pod) }, 'killing a pod that runs without its cgroup');
    const { error, results } = await runtime.killPod(pod, convertPodStatusToRunningPod(observed));
    const failure = error ?? results.find((result) => result.error)?.error;
    if (failure === undefined) return true;
    logger.error({ pod: podKey(pod), podUID: podUid(pod), err: failure }, 'failed to kill a pod that runs without its cgroup');
    return false;
  }

  return {
    async ensure(pod, status, observed) {
      try {
        await containerManager.start();
        if (!containerManager.isEnabled) return;
        if (await containerManager.pods.exists(pod)) return await adopt(pod, observed);
        const wasKilled = await killIfRunning(pod, status, observed);
        if (wasKilled && pod.spec?.restartPolicy === 'Never') return;
        await containerManager.updateQosCgroups();
        await containerManager.pods.create(pod);
        current.add(podUid(pod));
      } catch (cause) {
        recorder.event(
          podReference(pod),
          'Warning',
          'FailedCreatePodContainer',
          `unable to ensure pod container exists: ${errorMessage(cause)}`,
        );
        throw new NodeAgentError(
          coreErrorCodes.podCgroupFailed,
          `failed to ensure that the pod: ${podUid(pod)} cgroups exist and are correctly applied: ${errorMessage(cause)}`,
          { cause, retryable: true },
        );
      }
    },
    async killed() {
      if (containerManager.isEnabled) await containerManager.updateQosCgroups();
    },
    async remove(pod) {
      current.delete(podUid(pod));
      if (containerManager.isEnabled) await containerManager.pods.remove(pod);
    },
  };
}
