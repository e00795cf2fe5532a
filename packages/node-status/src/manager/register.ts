import { type Clock, isApiReason, type Logger, type Node } from '@nodeagent/api';
import { reconcileNode } from '../status/reconcile-node.js';
import { nodeStatusPatch } from '../status/status-patch.js';
import { createBackOff } from './jittered-loop.js';
import type { NodeCalls } from './node-calls.js';

export interface RegisterPorts {
  calls: NodeCalls;
  logger: Logger;
  resetExtendedResources: boolean;
}

/**
 * Creates the Node, or updates the existing one. Resolves to the Node as the API server has it; undefined if that failed and must be
 * retried. Also reads the existing Node if creating is forbidden, because credentials may allow reading only.
 */
export async function tryRegister(
  initial: Node,
  { calls, logger, resetExtendedResources }: RegisterPorts,
  signal: AbortSignal,
): Promise<Node | undefined> {
  try {
    return await calls.create(initial, signal);
  } catch (error) {
    if (!isApiReason(error, 'AlreadyExists') && !isApiReason(error, 'Forbidden')) {
      logger.warn({ err: error }, 'unable to register the node with the API server');
      return undefined;
    }
  }
  try {
    const existing = await calls.get(signal);
    const patch = nodeStatusPatch(existing, reconcileNode(existing, initial, { resetExtendedResources }));
    logger.info('node was already registered');
    return patch === undefined ? existing : await calls.patchStatus(patch, signal);
  } catch (error) {
    logger.warn({ err: error }, 'unable to reconcile the node with the one of the API server');
    return undefined;
  }
}

const firstPauseMs = 100;
const maxPauseMs = 7_000;

/** Retries `attempt` with exponential back-off until it returns the Node. Rejects with the signal's reason. */
export async function retryRegistration(attempt: () => Promise<Node | undefined>, clock: Clock, signal: AbortSignal): Promise<Node> {
  const backOff = createBackOff(clock, firstPauseMs, maxPauseMs, signal);
  for (;;) {
    await backOff();
    const node = await attempt();
    signal.throwIfAborted();
    if (node !== undefined) return node;
  }
}
