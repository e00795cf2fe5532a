import { type Container, errorCode, errorMessage, NodeAgentError, type Pod, type SyncResult } from '@nodeagent/api';
import { formatPod, podKey, podUid } from '@nodeagent/api/helpers';
import { linuxContainerResources, linuxOverheadResources } from '../config/linux-resources.js';
import type { CriRuntime } from '../cri/methods.js';
import type { PodActions } from '../decide/pod-actions.js';
import { planPodResize, type ResizeStep } from '../decide/resize-plan.js';
import { runtimeManagerErrorCodes } from '../errors.js';
import type { RuntimeContext } from '../runtime-context.js';

/**
 * Executes the steps of {@link planPodResize} and records each one that succeeded. Requests an inspection of the pod, after a failure only
 * if a container was updated before: an inspection causes a sync, and a resize that failed as before must wait for its retry. Never rejects.
 */
export async function resizePod(context: RuntimeContext, pod: Pod, sandboxId: string, actions: PodActions): Promise<SyncResult> {
  const { actuated, options, resources: settings } = context;
  const result: SyncResult = { action: 'ResizePodInPlace', target: formatPod(pod) };
  let hasProgress = false;
  try {
    const steps = planPodResize({ pod, actions, ...actuated.ofPod(pod), settings });
    await checkMemoryUsage(context, pod, steps, actions);
    for (const step of steps) {
      if (step.action === 'updatePod') await updatePod(context, pod, sandboxId, step);
      else {
        await updateContainer(context, pod, step);
        hasProgress = true;
      }
    }
    if (pod.spec?.resources) actuated.setPodLevel(podUid(pod), pod.spec.resources);
    hasProgress = true;
    return result;
  } catch (cause) {
    const error = new NodeAgentError(runtimeManagerErrorCodes.resizePodInPlace, errorMessage(cause), { retryable: true, cause });
    return { ...result, error };
  } finally {
    if (hasProgress) options.requestReinspect?.(podUid(pod));
  }
}

/** With a limit below the current usage the kernel would kill the pod: KEP-1287, "Memory Limit Decreases". */
async function checkMemoryUsage(
  { cri, options }: RuntimeContext,
  pod: Pod,
  steps: readonly ResizeStep[],
  { containersToUpdate }: Pick<PodActions, 'containersToUpdate'>,
): Promise<void> {
  for (const { id, name, from, to } of containersToUpdate.memory ?? []) {
    const limit = to.memoryLimit;
    const decreases = limit !== 0 && (from.memoryLimit === 0 || limit < from.memoryLimit);
    const usage = decreases ? await containerMemoryUsage(cri, id) : undefined;
    if (usage !== undefined && limit < usage) {
      throw new Error(`attempting to set container "${name}" memory limit (${limit}) below current usage (${usage})`);
    }
  }
  if (options.podCgroups === undefined) return;
  for (const step of steps) {
    if (step.action !== 'updatePod' || step.resource !== 'memory') continue;
    const limit = step.resources.memoryLimitInBytes ?? 0n;
    const usage = await options.podCgroups.memoryUsage(pod);
    if (limit !== 0n && usage !== undefined && limit < usage) {
      throw new Error(`attempting to set pod memory limit (${limit}) below current usage (${usage})`);
    }
  }
}

/** In bytes; undefined if the runtime does not report it. */
async function containerMemoryUsage(cri: Pick<CriRuntime, 'containerStats'>, containerId: string): Promise<bigint | undefined> {
  try {
    const { stats } = await cri.containerStats({ containerId });
    const { usageBytes, workingSetBytes } = stats?.memory ?? {};
    return usageBytes?.value ?? workingSetBytes?.value;
  } catch (error) {
    if (errorCode(error) === 'CRI_UNIMPLEMENTED') return undefined;
    throw error;
  }
}

async function updatePod(
  { cri, options, logger, resources: settings }: RuntimeContext,
  pod: Pod,
  podSandboxId: string,
  { resource, bound, resources }: Extract<ResizeStep, { action: 'updatePod' }>,
): Promise<void> {
  await options.podCgroups?.resize(pod, resource, bound);
  try {
    await cri.updatePodSandboxResources({ podSandboxId, overhead: linuxOverheadResources(pod, settings), resources });
  } catch (error) {
    // Optional in the CRI: not every runtime sets resources on sandboxes.
    if (errorCode(error) !== 'CRI_UNIMPLEMENTED') throw error;
    logger.debug({ pod: podKey(pod) }, 'the runtime does not implement UpdatePodSandboxResources');
  }
}

async function updateContainer(
  { cri, actuated, options, resources: settings }: RuntimeContext,
  pod: Pod,
  { id, name, resources }: Extract<ResizeStep, { action: 'updateContainer' }>,
): Promise<void> {
  const inSpec = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].find((each) => each.name === name);
  const container: Container = { ...inSpec, name, resources };
  const exclusiveCpus = options.hasExclusiveCpus?.(pod, container) ?? false;
  await cri.updateContainerResources({ containerId: id, linux: linuxContainerResources(pod, container, settings, { exclusiveCpus }) });
  actuated.set(podUid(pod), name, resources);
}
