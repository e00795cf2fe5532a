import type { Runtime, StreamingRuntime } from '@nodeagent/api';
import { podFullName, quoteText } from '@nodeagent/api/helpers';
import type { NodeStreaming } from '../ports.js';
import { runningContainerId } from './running-container.js';

/** Exec, attach and port-forward by pod and container name: finds the running container, then asks the runtime for the URL. */
export function createNodeStreaming(runtime: Pick<Runtime, 'getPod'>, streaming: StreamingRuntime): NodeStreaming {
  return {
    async execUrl(pod, name, command, streams, signal) {
      const id = await runningContainerId(runtime, pod, name, `container not found (${quoteText(name)})`, signal);
      return streaming.execUrl(id, command, streams, signal);
    },
    async attachUrl(pod, name, streams, signal) {
      const id = await runningContainerId(runtime, pod, name, `container ${name} not found in pod ${podFullName(pod)}`, signal);
      return streaming.attachUrl(id, streams, signal);
    },
    portForwardUrl: (pod, ports, signal) => streaming.portForwardUrl(pod, ports, signal),
  };
}
