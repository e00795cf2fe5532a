import { type Container, findContainer, type Pod, podKey, podUid, settlesWithin } from '@nodeagent/api';
import { containerGracePeriod, type KillReason, killingMessage, stopTimeout } from './container-grace-period.js';
import { invalidAnswer, isNotFound } from './cri-calls.js';
import { restorePod } from './labels.js';
import { currentPodIp } from './pod-status.js';
import { type RuntimeContext, recordContainerEvent } from './runtime-context.js';
import type { TerminationOrder } from './termination-order.js';

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
}

/**
 * Stops one container: preStop hook, wait for its turn in the termination order, stop signal, and SIGKILL at the end of the grace
 * period. All steps share one grace period. Rejects if the runtime cannot stop it; a missing container counts as stopped.
 */
export async function killContainer(context: RuntimeContext, request: KillContainerRequest): Promise<void> {
  const { cri, logger, clock } = context;
  const { containerId, containerName, order } = request;
  const { pod, container } = await podAndContainer(context, request);

  const message = killingMessage({ id: containerId, name: containerName }, request.message ?? '');
  recordContainerEvent(context, pod, { name: containerName }, { type: 'Normal', reason: 'Killing', message });

  let grace = request.gracePeriodOverride ?? containerGracePeriod(pod, container, request.reason ?? '');
  const preStop = container?.lifecycle?.preStop;
  if (container && preStop && grace > 0) {
    const start = clock.monotonic();
    await runPreStop(context, pod, container, containerId, grace);
    grace -= Math.trunc((clock.monotonic() - start) / 1000);
  }
  if (order && grace > 0) grace -= Math.trunc(await order.waitForTurn(containerName, grace));
  const timeout = stopTimeout(grace);

  logger.debug({ pod: podKey(pod), containerName, containerID: containerId, timeout, reason: message }, 'stopping container');
  try {
    await cri.stopContainer({ containerId, timeout: BigInt(timeout) });
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

/** Waits for the hook at most for the grace period. A hook that takes longer keeps running, and the container is stopped. */
async function runPreStop(context: RuntimeContext, pod: Pod, container: Container, containerId: string, grace: number): Promise<void> {
  const { hooks, clock, logger, options } = context;
  const handler = container.lifecycle?.preStop;
  if (!handler) return;
  const podIp = () => currentPodIp(context, podUid(pod));
  const run = hooks.run({ pod, container, containerId, handler, podIp }, options.signal).catch((error: unknown) => {
    logger.warn({ containerName: container.name, containerID: containerId, err: error }, 'preStop hook failed');
    const event = { type: 'Warning', reason: 'FailedPreStopHook', message: 'PreStopHook failed', containerId } as const;
    recordContainerEvent(context, pod, container, event);
  });
  await settlesWithin(run, { clock, timeoutMs: grace * 1000, signal: options.signal });
}
