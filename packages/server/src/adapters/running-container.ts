import { NodeAgentError, type Pod, type Runtime } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { serverErrorCodes } from '../errors.js';

/** The ID of the pod's running container of this name. Rejects with `ContainerNotFound` and the message `notFound` if there is none. */
export async function runningContainerId(
  runtime: Pick<Runtime, 'getPod'>,
  pod: Pod,
  containerName: string,
  notFound: string,
  signal: AbortSignal,
): Promise<string> {
  const found = await runtime.getPod(podUid(pod), signal);
  const container = found?.containers.find(({ name, state }) => name === containerName && state === 'running');
  if (container === undefined) throw new NodeAgentError(serverErrorCodes.containerNotFound, notFound);
  return container.id;
}
