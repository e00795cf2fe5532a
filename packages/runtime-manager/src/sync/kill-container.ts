import { type Container, type Pod, settlesWithin } from '@nodeagent/api';
import { findContainer, podKey, podUid } from '@nodeagent/api/helpers';
import { restorePod } from '../config/labels.js';
import { invalidAnswer, isNotFound } from '../cri/call-errors.js';
import { containerGracePeriod, type KillReason, killingMessage, stopTimeout } from '../decide/container-grace-period.js';
import type { TerminationOrder } from '../decide/termination-order.js';
import { type RuntimeContext, recordContainerEvent } from '../runtime-context.js';
import { currentPodIp } from '../status/pod-status.js';

export interface KillContainerRequest {
  /** Undefined for a pod without a known spec: it is restored from the container's labels and annotations. */
  pod: Pod | undefined;
  containerId: string;
  containerName: string;
  /** The Killing event's text; default `Stopping container <name>`. */
  message?: string;
  reason?: KillReason;
  /** Seconds; overrides the grace period of the pod and the probe. */
  gracePeriodOverride?: number | undefined;
  order?: TerminationOrder | undefined;
  /** Aborts the kill and leaves the container as it is. Default: the agent's signal. */
  signal?: AbortSignal | undefined;
}

/**
 * Stops one container: preStop hook, wait for its turn in the termination order, stop signal, and SIGKILL at the end of the grace
 * period. All steps share one grace period. Rejects if the runtime cannot stop it; a missing container counts as stopped. The kill after
 * an aborted one does not run the preStop hook again.
 */
export async function killContainer(context: RuntimeContext, request: KillContainerRequest): Promise<void> {
  const { containerId, containerName, signal = context.options.signal } = request;
  const { pod, container } = await podAndContainer(context, request);
  const message = killingMessage({ id: containerId, name: containerName }, request.message ?? '');
  recordContainerEvent(context, pod, { name: containerName }, { type: 'Normal', reason: 'Killing', message });
  try {
    await stopContainer(context, request, pod, container, signal);
    context.preStopHooks.delete(containerId);
  } catch (error) {
    if (!signal?.aborted) context.preStopHooks.delete(containerId);
    throw error;
  }
}

async function stopContainer(
  context: RuntimeContext,
  { containerId, containerName, gracePeriodOverride, reason = '', order }: KillContainerRequest,
  pod: Pod,
  container: Container | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { cri, clock, logger } = context;
  let grace = gracePeriodOverride ?? containerGracePeriod(pod, container, reason);
  if (container?.lifecycle?.preStop && grace > 0) {
    const start = clock.monotonic();
    // A hook that takes longer keeps running, and the container is stopped.
    await settlesWithin(preStopHook(context, pod, container, containerId), { clock, timeoutMs: grace * 1000, signal });
    grace -= Math.trunc((clock.monotonic() - start) / 1000);
  }
  if (order && grace > 0) grace -= Math.trunc(await order.waitForTurn(containerName, grace));
  const timeout = stopTimeout(grace);
  logger.debug({ pod: podKey(pod), containerName, containerID: containerId, timeout, reason }, 'stopping container');
  try {
    await cri.stopContainer({ containerId, timeout: BigInt(timeout) }, signal ? { signal } : {});
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  order?.containerTerminated(containerName);
}

async function podAndContainer(
  { cri }: RuntimeContext,
  { pod, containerId, containerName }: KillContainerRequest,
): Promise<{ pod: Pod; container: Container | undefined }> {
  if (pod) return { pod, container: findContainer(pod, containerName) };
  const { status } = await cri.containerStatus({ containerId });
  if (!status) throw invalidAnswer('ContainerStatus', 'status');
  return restorePod(status);
}

/** The container's preStop hook, as an aborted kill started it, or started now. Resolves when it has ended; a failure is an event. */
function preStopHook(context: RuntimeContext, pod: Pod, container: Container, containerId: string): Promise<void> {
  const { hooks, logger, options, preStopHooks } = context;
  const running = preStopHooks.get(containerId);
  const handler = container.lifecycle?.preStop;
  if (running || !handler) return running ?? Promise.resolve();
  const podIp = () => currentPodIp(context, podUid(pod));
  const run = hooks.run({ pod, container, containerId, handler, podIp }, options.signal).catch((error: unknown) => {
    logger.warn({ containerName: container.name, containerID: containerId, err: error }, 'preStop hook failed');
    const event = { type: 'Warning', reason: 'FailedPreStopHook', message: 'PreStopHook failed', containerId } as const;
    recordContainerEvent(context, pod, container, event);
  });
  preStopHooks.set(containerId, run);
  return run;
}
