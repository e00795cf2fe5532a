import { NodeAgentError, type Pod, podFullName, quoteText, type Runtime } from '@nodeagent/api';
import { serverErrorCodes } from '../errors.js';
import type { NodeStreaming, RequestedStreams } from '../ports.js';
import { runningContainerId } from './running-container.js';

/** The streams of a runtime, as `@nodeagent/runtime-manager` has them; what a runtime does not have rejects with `NotSupported`. */
export interface RuntimeStreams {
  execUrl?(containerId: string, command: readonly string[], streams: RequestedStreams, signal: AbortSignal): Promise<URL>;
  attachUrl?(containerId: string, streams: RequestedStreams, signal: AbortSignal): Promise<URL>;
  portForwardUrl?(pod: Pod, ports: readonly number[], signal: AbortSignal): Promise<URL>;
}

/** Exec, attach and port-forward by pod and container name: finds the running container, then asks the runtime for the URL. */
export function createNodeStreaming(runtime: Pick<Runtime, 'getPod'> & RuntimeStreams): NodeStreaming {
  const unsupported = () => Promise.reject(new NodeAgentError(serverErrorCodes.notSupported, 'the runtime has no streams'));
  return {
    async execUrl(pod, name, command, streams, signal) {
      const id = await runningContainerId(runtime, pod, name, `container not found (${quoteText(name)})`, signal);
      return runtime.execUrl?.(id, command, streams, signal) ?? unsupported();
    },
    async attachUrl(pod, name, streams, signal) {
      const id = await runningContainerId(runtime, pod, name, `container ${name} not found in pod ${podFullName(pod)}`, signal);
      return runtime.attachUrl?.(id, streams, signal) ?? unsupported();
    },
    portForwardUrl: (pod, ports, signal) => runtime.portForwardUrl?.(pod, ports, signal) ?? unsupported(),
  };
}
