import type { Runtime, StreamingRuntime } from '@nodeagent/api';
import type { NodeStreaming } from '@nodeagent/server';

/** Streams of the agent's containers; `@nodeagent/server` is loaded at the first request. */
export function createAgentStreaming(runtime: Pick<Runtime, 'getPod'>, streaming: StreamingRuntime): NodeStreaming {
  const load = async () => (await import('@nodeagent/server')).createNodeStreaming(runtime, streaming);
  return {
    execUrl: async (...request) => (await load()).execUrl(...request),
    attachUrl: async (...request) => (await load()).attachUrl(...request),
    portForwardUrl: async (...request) => (await load()).portForwardUrl(...request),
  };
}
