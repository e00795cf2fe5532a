import { errorMessage, NodeAgentError, type SyncResult } from '@nodeagent/api';
import { podKey } from '@nodeagent/api/helpers';
import { runtimeManagerErrorCodes } from '../errors.js';
import type { RuntimeContext } from '../runtime-context.js';
import { type ContainerType, countContainerStart } from './metrics.js';
import { type ContainerStart, startContainer } from './start-container.js';

/** Starts a container unless it is in back-off; adds the outcome to `results` and returns the error, if any. */
export async function tryStartContainer(
  context: RuntimeContext,
  type: ContainerType,
  request: ContainerStart,
  results: SyncResult[],
): Promise<Error | undefined> {
  const { pod, container, status } = request;
  const { backOff, clock, logger, metrics } = context;
  try {
    backOff.beforeStart(pod, container, status, clock.now());
    const count = countContainerStart(metrics, type);
    try {
      await startContainer(context, request);
    } catch (error) {
      count.failed(error);
      throw error;
    }
    results.push({ action: 'StartContainer', target: container.name });
    return undefined;
  } catch (cause) {
    const error = cause instanceof Error ? cause : new NodeAgentError(runtimeManagerErrorCodes.runContainer, errorMessage(cause));
    logger.debug({ pod: podKey(pod), containerName: container.name, err: error }, 'container not started');
    results.push({ action: 'StartContainer', target: container.name, error });
    return error;
  }
}
