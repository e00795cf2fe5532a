import { createContainerLogReader } from '@nodeagent/container-logs';
import type { HealthCheckResult, NodeServer } from '@nodeagent/server';
import { createNodeStreaming } from '@nodeagent/server/streaming';
import { createStatsPages } from '@nodeagent/stats';
import type { AgentParts, Components } from '../../components.js';

/** The HTTP API of the node; undefined unless the options have one. `@nodeagent/server` is loaded at start. */
export function server(c: Components): AgentParts['server'] {
  if (c.agent.server === undefined) return undefined;
  let running: NodeServer | undefined;
  return {
    get ports() {
      return running?.ports;
    },
    async start(signal) {
      const nodeServer = await import('@nodeagent/server');
      running ??= createServer(c, nodeServer);
      await running.start(signal);
    },
    stop: async () => running?.stop(),
  };
}

function createServer(c: Components, nodeServer: typeof import('@nodeagent/server')): NodeServer {
  const { agent, host, settings, state, common, statusManager, runtime, capabilities, stats, syncLoop } = c;
  const { nodeName, rootDir } = agent;
  const { clock, random, logger } = common;
  const cri = agent.cri.runtime;
  return nodeServer.createNodeServer({
    ...agent.server,
    nodeName,
    pods: nodeServer.createNodePods(state.podManager, statusManager),
    healthChecks: () => [
      nodeServer.syncLoopHealthCheck({
        lastStepAt: syncLoop.lastStep(),
        now: clock.monotonic(),
        syncFrequencyMs: settings.syncFrequencyMs,
      }),
      ...deviceHealthCheck(c),
    ],
    ...(host.logSource && { logs: createContainerLogReader({ cri, clock, logger, source: host.logSource }) }),
    streaming: createNodeStreaming(runtime, capabilities.streaming),
    runInContainer: nodeServer.createRunInContainer({ runtime, cri }),
    checkpoint: nodeServer.createCheckpointContainer({ runtime, cri, files: host.files, rootDir, clock }),
    runningPods: (signal) => nodeServer.listRunningPods(runtime, signal),
    ...(stats && { stats: createStatsPages(stats) }),
    clock,
    random,
    logger,
  });
}

/** The check `device-plugin`. */
function deviceHealthCheck({ devices }: Components): HealthCheckResult[] {
  const error = devices?.unhealthyReason();
  return devices === undefined ? [] : [{ name: 'device-plugin', ...(error !== undefined && { error }) }];
}
