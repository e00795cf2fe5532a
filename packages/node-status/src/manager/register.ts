import { type Clock, isApiReason, type Logger, type Node, type ObjectCreator, type ObjectGetter, type ObjectPatcher } from '@nodeagent/api';
import { reconcileNode } from '../status/reconcile-node.js';
import { nodeStatusPatch } from '../status/status-patch.js';
import { growingPause } from './jittered-loop.js';

export interface RegisterPorts {
  /** Calls to the API server that end in time. */
  nodes: ObjectGetter<Node> & ObjectCreator<Node> & ObjectPatcher<Node>;
  logger: Logger;
  resetExtendedResources: boolean;
}

/**
 * Creates the Node, or brings the one there is up to date. Resolves to the Node as the API server has it; undefined if that failed and is
 * to be tried again. A node may be forbidden to create what it may read: then too it looks for the one there is.
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
    logger.info('the node was registered before');
    return patch === undefined ? existing : await nodes.patch(key, patch, { type: 'strategic', subresource: 'status' });
  } catch (error) {
    logger.warn({ err: error }, 'unable to reconcile the node with the one that the API server has');
    return undefined;
  }
}

const firstPauseMs = 100;
const longestPauseMs = 7_000;

/** Tries until one gives the Node, each time after a pause twice as long as the last one. Rejects with the signal's reason. */
export async function registerUntilDone(attempt: () => Promise<Node | undefined>, clock: Clock, signal: AbortSignal): Promise<Node> {
  const pause = growingPause(clock, firstPauseMs, longestPauseMs, signal);
  for (;;) {
    await pause();
    const node = await attempt();
    signal.throwIfAborted();
    if (node !== undefined) return node;
  }
}
