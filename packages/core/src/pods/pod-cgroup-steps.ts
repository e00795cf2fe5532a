import {
  type EventRecorder,
  errorMessage,
  type Logger,
  NodeAgentError,
  type Pod,
  type PodRuntimeStatus,
  type PodStatus,
  type ResizableRuntime,
  type Runtime,
} from '@nodeagent/api';
import { podKey, podReference, podUid } from '@nodeagent/api/helpers';
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
   * Creates the pod's cgroup, or sets the values of the spec if no resize is in progress: an agent that was killed during one left others. A pod
   * that runs without a cgroup, because it was removed or a previous agent ran without cgroups, is killed first, so that its containers
   * restart in it. Emits `FailedCreatePodContainer` and rejects if the cgroup cannot be created.
   */
  ensure(pod: Pod, status: PodStatus, observed: PodRuntimeStatus): Promise<void>;
  /** Called when a pod's containers have been killed. */
  killed(): Promise<void>;
  /** Removes the cgroup of a terminated pod. */
  remove(pod: Pod): Promise<void>;
}

export function createPodCgroupSteps({ containerManager, runtime, resizing, recorder, logger }: PodCgroupStepsOptions): PodCgroupSteps {
  /**
   * Sets the values of the spec before containers start: a pod may have been resized while its container waited in its back-off. While containers
   * run, a resize in progress sets them itself, in an order in which the containers fit into the pod.
   */
  async function adopt(pod: Pod, observed: PodRuntimeStatus): Promise<void> {
    const isRunning = observed.containerStatuses.some(({ state }) => state === 'running');
    if (isRunning && resizing.isPodResizeInProgress(pod, observed)) return;
    try {
      await containerManager.pods.update(pod);
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
      if (containerManager.isEnabled) await containerManager.pods.remove(pod);
    },
  };
}
