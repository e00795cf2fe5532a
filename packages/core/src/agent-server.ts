import type { Clock, Logger, Random, Runtime, Startable, StatsProvider, StatusManager, StreamingRuntime } from '@nodeagent/api';
import type { PodManager } from '@nodeagent/pod-sources';
import type { HealthCheckResult, NodeServer, NodeServerOptions, ServedPorts } from '@nodeagent/server';
import type { NodeAgentOptions } from './agent-types.js';
import type { NodeHost } from './host/node-host.js';
import { serverCheckpoint, serverLogs, serverPods, serverRun, serverRunningPods, serverStats, serverStreaming } from './server-ports.js';

/** Where and to whom the agent answers; what it answers is its own. Without `https`, `readOnly` and `healthz` it listens nowhere. */
export type AgentServer = Pick<
  NodeServerOptions,
  'https' | 'readOnly' | 'healthz' | 'registry' | 'relay' | 'ui' | 'configz' | 'settings' | 'systemLogsDir' | 'setVerbosity'
>;

export interface AgentServerOptions {
  agent: Pick<NodeAgentOptions, 'nodeName' | 'cri' | 'rootDir' | 'server'>;
  host: Pick<NodeHost, 'files'>;
  podManager: Pick<PodManager, 'pods' | 'translatePodUid'>;
  statusManager: Pick<StatusManager, 'getPodStatus'>;
  runtime: Pick<Runtime, 'getPod' | 'getPods'>;
  streaming: StreamingRuntime;
  stats: StatsProvider | undefined;
  /** When the sync loop last took something up, by the clock; undefined before its first step. */
  lastSyncLoopStep(): number | undefined;
  /** How often a pod in order is looked at anyway. */
  syncFrequencyMs: number;
  clock: Clock;
  random: Random;
  logger: Logger;
}

/** The agent's HTTP API. */
export interface RunningAgentServer extends Startable {
  /** Undefined before the start. */
  readonly ports: ServedPorts | undefined;
}

/** Shortest time after which a sync loop that takes nothing up counts as stuck. */
const patienceMs = 300_000;

/** Wires the server of the options to the rest of the agent; undefined without one. It is loaded with the start. */
export function createAgentServer(options: AgentServerOptions): RunningAgentServer | undefined {
  const { agent, host, podManager, statusManager, runtime, streaming, stats, clock, random, logger } = options;
  const { nodeName, rootDir, server: where } = agent;
  if (where === undefined) return undefined;
  const cri = agent.cri.runtime;
  const containers = { runtime, streaming, cri, files: host.files, rootDir, clock, logger };
  let server: NodeServer | undefined;
  return {
    get ports() {
      return server?.ports;
    },
    async start(signal) {
      const { createNodeServer } = await import('@nodeagent/server');
      server ??= createNodeServer({
        ...where,
        nodeName,
        pods: serverPods(podManager, statusManager),
        healthChecks: () => [syncLoopCheck(options)],
        logs: serverLogs(containers),
        streaming: serverStreaming(containers),
        runInContainer: serverRun(containers),
        checkpoint: serverCheckpoint(containers),
        runningPods: serverRunningPods(runtime),
        ...(stats && { stats: serverStats(stats) }),
        clock,
        random,
        logger,
      });
      await server.start(signal);
    },
    stop: async () => server?.stop(),
  };
}

/** Whether the agent still takes up what happens: Kubernetes documentation, API health endpoints, and a kubelet's check of that name. */
export function syncLoopCheck({
  lastSyncLoopStep,
  syncFrequencyMs,
  clock,
}: Pick<AgentServerOptions, 'lastSyncLoopStep' | 'syncFrequencyMs' | 'clock'>): HealthCheckResult {
  const last = lastSyncLoopStep();
  const isStuck = last !== undefined && clock.monotonic() - last > Math.max(2 * syncFrequencyMs, patienceMs);
  return { name: 'syncloop', ...(isStuck && { error: 'sync Loop took longer than expected' }) };
}
