import {
  errorMessage,
  NodeAgentError,
  type Pod,
  type PodRuntimeStatus,
  type PodSyncResult,
  type RuntimeContainer,
  type RuntimePod,
  type SyncResult,
} from '@nodeagent/api';
import { isNotFound } from '../cri/call-errors.js';
import { createTerminationOrder } from '../decide/termination-order.js';
import { runtimeManagerErrorCodes } from '../errors.js';
import type { RuntimeContext } from '../runtime-context.js';
import { hasSidecars } from './has-sidecars.js';
import { killContainer } from './kill-container.js';

/** The part of a pod that {@link killPod} acts on. */
export type KillablePod = Pick<RuntimePod, 'uid'> & {
  containers: readonly Pick<RuntimeContainer, 'id' | 'name' | 'state'>[];
  sandboxes: readonly Pick<RuntimeContainer, 'id'>[];
};

/** The containers and sandboxes of a pod's status, for {@link killPod}. */
export function killableFromStatus({ uid, containerStatuses, sandboxStatuses }: PodRuntimeStatus): KillablePod {
  return { uid, containers: containerStatuses, sandboxes: sandboxStatuses };
}

/**
 * Stops a pod's running containers concurrently (sidecars in their termination order), then its sandboxes. Never rejects. An abort ends it
 * before the sandboxes, because a runtime kills the containers of a sandbox that it stops.
 */
export async function killPod(
  context: RuntimeContext,
  pod: Pod | undefined,
  running: KillablePod,
  gracePeriodOverride?: number,
  signal: AbortSignal | undefined = context.options.signal,
): Promise<PodSyncResult> {
  const { cri, clock } = context;
  const containers = running.containers.filter(({ state }) => state === 'running');
  const names = containers.map(({ name }) => name);
  const order = pod && hasSidecars(pod) ? createTerminationOrder(pod, names, clock, signal) : undefined;

  const results: SyncResult[] = await Promise.all(
    containers.map(async ({ id, name }) => {
      const request = { pod, containerId: id, containerName: name, gracePeriodOverride, order, signal };
      return outcome('KillContainer', name, runtimeManagerErrorCodes.killContainer, killContainer(context, request));
    }),
  );
  if (signal?.aborted) return { results, error: signal.reason };
  for (const { id } of running.sandboxes) {
    const stopped = cri.stopPodSandbox({ podSandboxId: id }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    results.push(await outcome('KillPodSandbox', id, runtimeManagerErrorCodes.killPodSandbox, stopped));
  }
  const failed = results.find(({ error }) => error !== undefined);
  return { results, ...(failed?.error && { error: failed.error }) };
}

/** The result of an action. Its error has the given code, the runtime's message and the runtime's error as cause. */
export async function outcome(action: SyncResult['action'], target: string, code: string, done: Promise<unknown>): Promise<SyncResult> {
  try {
    await done;
    return { action, target };
  } catch (cause) {
    return { action, target, error: new NodeAgentError(code, errorMessage(cause), { retryable: true, cause }) };
  }
}
