import type { Clock, Logger, Random, Runtime, Startable, StatsProvider, StatusManager, StreamingRuntime } from '@nodeagent/api';
import { createContainerLogReader } from '@nodeagent/container-logs';
import type { PodManager } from '@nodeagent/pod-sources';
import type { HealthCheckResult, NodeServer, NodeStreaming, ServedPorts } from '@nodeagent/server';
import { createStatsPages } from '@nodeagent/stats';
import type { NodeHost } from '../host/node-host.js';
import type { AgentServer } from '../options/agent-options.js';
import type { CriServices } from '../options/cri-services.js';
import type { AgentDevices } from './devices.js';

export interface AgentServerOptions {
  agent: { nodeName: string; cri: CriServices; rootDir: string; server?: AgentServer };
  host: Pick<NodeHost, 'files' | 'logSource'>;
  podManager: Pick<PodManager, 'pods' | 'translatePodUid'>;
  statusManager: Pick<StatusManager, 'getPodStatus'>;
  runtime: Pick<Runtime, 'getPod' | 'getPods'>;
  streaming: StreamingRuntime;
  stats: StatsProvider | undefined;
  /** Time of the sync loop's last step by the clock; undefined before the first one. */
  lastSyncLoopStep(): number | undefined;
  /** Period of the resync of a healthy pod. */
  syncFrequencyMs: number;
  /** Undefined: the agent runs no device plugins. */
  devices: Pick<AgentDevices, 'unhealthyReason'> | undefined;
  clock: Clock;
  random: Random;
  logger: Logger;
}

/** The agent's HTTP API. */
export interface RunningAgentServer extends Startable {
  /** Undefined before the start. */
  readonly ports: ServedPorts | undefined;
}

/** Connects the HTTP server of the options to the agent; undefined without one. `@nodeagent/server` is loaded at start. */
export function createAgentServer(options: AgentServerOptions): RunningAgentServer | undefined {
  const { agent, host, podManager, statusManager, runtime, streaming, stats, clock, random, logger } = options;
  const { nodeName, rootDir, server: where } = agent;
  if (where === undefined) return undefined;
  const cri = agent.cri.runtime;
  let server: NodeServer | undefined;
  return {
    get ports() {
      return server?.ports;
    },
    async start(signal) {
      const nodeServer = await import('@nodeagent/server');
      server ??= nodeServer.createNodeServer({
        ...where,
        nodeName,
        pods: nodeServer.createNodePods(podManager, statusManager),
        healthChecks: () => [
          nodeServer.syncLoopHealthCheck({
            lastStepAt: options.lastSyncLoopStep(),
            now: clock.monotonic(),
            syncFrequencyMs: options.syncFrequencyMs,
          }),
          ...deviceHealthCheck(options.devices),
        ],
        ...(host.logSource && { logs: createContainerLogReader({ cri, clock, logger, source: host.logSource }) }),
        streaming: nodeServer.createNodeStreaming(runtime, streaming),
        runInContainer: nodeServer.createRunInContainer({ runtime, cri }),
        checkpoint: nodeServer.createCheckpointContainer({ runtime, cri, files: host.files, rootDir, clock }),
        runningPods: (signal) => nodeServer.listRunningPods(runtime, signal),
        ...(stats && { stats: createStatsPages(stats) }),
        clock,
        random,
        logger,
      });
      await server.start(signal);
    },
    stop: async () => server?.stop(),
  };
}

/** The check `device-plugin`. */
function deviceHealthCheck(devices: AgentServerOptions['devices']): HealthCheckResult[] {
  const error = devices?.unhealthyReason();
  return devices === undefined ? [] : [{ name: 'device-plugin', ...(error !== undefined && { error }) }];
}

/** Streams of the agent's containers; `@nodeagent/server` is loaded at the first request. */
export function createAgentStreaming(runtime: Pick<Runtime, 'getPod'>, streaming: StreamingRuntime): NodeStreaming {
  const load = async () => (await import('@nodeagent/server')).createNodeStreaming(runtime, streaming);
  return {
    execUrl: async (...request) => (await load()).execUrl(...request),
    attachUrl: async (...request) => (await load()).attachUrl(...request),
    portForwardUrl: async (...request) => (await load()).portForwardUrl(...request),
  };
}
