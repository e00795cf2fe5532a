import { type Clock, isApiReason, type Logger, type Node, type ObjectCreator, type ObjectGetter, type ObjectPatcher } from '@nodeagent/api';
import { reconcileNode } from '../status/reconcile-node.js';
import { nodeStatusPatch } from '../status/status-patch.js';
import { createBackOff } from './jittered-loop.js';

export interface RegisterPorts {
  /** API calls with a timeout. */
  nodes: ObjectGetter<Node> & ObjectCreator<Node> & ObjectPatcher<Node>;
  logger: Logger;
  resetExtendedResources: boolean;
}

/**
 * Creates the Node, or updates the existing one. Resolves to the Node as the API server has it; undefined if that failed and must be
 * retried. Also reads the existing Node if creating is forbidden, because credentials may allow reading only.
 */
export async function tryRegister(initial: Node, { nodes, logger, resetExtendedResources }: RegisterPorts): Promise<Node | undefined> {
  const key = { name: initial.metadata?.name ?? '' };
  try {
    return await nodes.create(initial);
  } catch (error) {
    if (!isApiReason(error, 'AlreadyExists') && !isApiReason(error, 'Forbidden')) {
      logger.warn({ err: error }, 'unable to register the node with the API server');
      return undefined;
    }
  }
  try {
    const existing = await nodes.get(key);
    const patch = nodeStatusPatch(existing, reconcileNode(existing, initial, { resetExtendedResources }));
    logger.info('node was already registered');
    return patch === undefined ? existing : await nodes.patch(key, patch, { type: 'strategic', subresource: 'status' });
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
