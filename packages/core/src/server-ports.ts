import { join } from 'node:path';
import {
  type Clock,
  formatTime,
  isStaticPod,
  type Logger,
  NodeAgentError,
  type Pod,
  podFullName,
  podUid,
  quoteText,
  type Runtime,
  type StatsProvider,
  type StatusManager,
  type StreamingRuntime,
} from '@nodeagent/api';
import { createLogReader, untilContainerEnds } from '@nodeagent/container-logs';
import type { RuntimeService } from '@nodeagent/cri-api';
import type { PodManager } from '@nodeagent/pod-sources';
import type { PodFiles } from '@nodeagent/runtime-manager';
import type { CheckpointContainer, NodeLogs, NodePods, NodeStats, NodeStreaming, RunInContainer, RunningPod } from '@nodeagent/server';
import { onlyCpuAndMemory, summaryJson } from '@nodeagent/stats';
import { coreErrorCodes } from './errors.js';

/** The pods as the server tells them: a static pod with the agent's own status of it, any other as the API server has it. */
export function serverPods(
  podManager: Pick<PodManager, 'pods' | 'translatePodUid'>,
  statusManager: Pick<StatusManager, 'getPodStatus'>,
): NodePods {
  const podStatus = (pod: Pod) => statusManager.getPodStatus(podUid(pod)) ?? pod.status;
  const told = (pod: Pod): Pod => {
    const status = isStaticPod(pod) ? podStatus(pod) : undefined;
    return status === undefined ? pod : { ...pod, status };
  };
  return { pods: () => podManager.pods().map(told), podStatus, translatePodUid: podManager.translatePodUid };
}

export interface ContainerPortsOptions {
  runtime: Pick<Runtime, 'getPod' | 'getPods'>;
  streaming: StreamingRuntime;
  cri: Pick<RuntimeService, 'containerStatus' | 'execSync' | 'checkpointContainer'>;
  /** Where checkpoints are written. */
  files: Pick<PodFiles, 'makeDirectory'>;
  rootDir: string;
  clock: Clock;
  logger: Logger;
}

/** Where streams to containers begin. */
export function serverStreaming({ runtime, streaming }: Pick<ContainerPortsOptions, 'runtime' | 'streaming'>): NodeStreaming {
  return {
    async execUrl(pod, name, command, streams, signal) {
      const id = await runningContainer(runtime, pod, name, `container not found (${quoteText(name)})`, signal);
      return streaming.execUrl(id, command, streams, signal);
    },
    async attachUrl(pod, name, streams, signal) {
      const id = await runningContainer(runtime, pod, name, `container ${name} not found in pod ${podFullName(pod)}`, signal);
      return streaming.attachUrl(id, streams, signal);
    },
    portForwardUrl: (pod, ports, signal) => streaming.portForwardUrl(pod, ports, signal),
  };
}

/** The id of a container of the pod that runs. */
async function runningContainer(
  runtime: Pick<Runtime, 'getPod'>,
  pod: Pod,
  containerName: string,
  missing: string,
  signal: AbortSignal,
): Promise<string> {
  const found = await runtime.getPod(podUid(pod), signal);
  const container = found?.containers.find(({ name, state }) => name === containerName && state === 'running');
  if (container === undefined) throw new NodeAgentError(coreErrorCodes.containerNotFound, missing);
  return container.id;
}

/** Runs commands, as `/run` wants them. */
export function serverRun({ runtime, cri }: Pick<ContainerPortsOptions, 'runtime' | 'cri'>): RunInContainer {
  return async (pod, name, command, signal) => {
    const containerId = await runningContainer(runtime, pod, name, `container not found (${quoteText(name)})`, signal);
    const { stdout, stderr, exitCode } = await cri.execSync({ containerId, cmd: [...command] }, { signal });
    if (exitCode === 0) return Buffer.concat([stdout, stderr]);
    const text = `command '${command.join(' ')}' exited with ${exitCode}: ${Buffer.from(stderr).toString()}`;
    throw new NodeAgentError(coreErrorCodes.commandFailed, text, { details: { exitCode } });
  };
}

/** Writes checkpoints into `ROOT-DIR/checkpoints`: Kubernetes documentation, Kubelet Checkpoint API. */
export function serverCheckpoint({ runtime, cri, files, rootDir, clock }: Omit<ContainerPortsOptions, 'logger'>): CheckpointContainer {
  return async (pod, name, timeout, signal) => {
    const containerId = await runningContainer(runtime, pod, name, `container ${name} not found`, signal);
    const folder = join(rootDir, 'checkpoints');
    await files.makeDirectory(folder, 0o700);
    const location = join(folder, `checkpoint-${podFullName(pod)}-${name}-${formatTime(clock.now())}.tar`);
    await cri.checkpointContainer({ containerId, location, timeout }, { signal });
    return location;
  };
}

/** Reads containers' logs where the runtime says that they are. */
export function serverLogs({ cri, clock, logger }: Pick<ContainerPortsOptions, 'cri' | 'clock' | 'logger'>): NodeLogs {
  const reader = createLogReader({ clock, logger });
  return {
    async *read(fullId, { follow, ...request }) {
      const { signal } = request;
      const containerId = fullId.slice(fullId.indexOf('://') + '://'.length);
      const path = await logPath(cri, containerId, signal);
      if (!path) throw new NodeAgentError(coreErrorCodes.logUnavailable, `unable to retrieve container logs for ${fullId}`);
      const ended = (until: AbortSignal) => untilContainerEnds({ cri, containerId, clock, signal: until });
      for await (const { data } of reader.read(path, { ...request, ...(follow && { follow, ended }) })) yield data;
    },
  };
}

async function logPath(
  cri: Pick<RuntimeService, 'containerStatus'>,
  containerId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await cri.containerStatus({ containerId }, { signal })).status?.logPath;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** The pods that run now, as the runtime lists them. */
export const serverRunningPods =
  (runtime: Pick<Runtime, 'getPods'>) =>
  async (signal: AbortSignal): Promise<RunningPod[]> =>
    (await runtime.getPods(false, signal)).map(({ uid, name, namespace, containers }) => ({
      uid,
      name,
      namespace,
      containers: containers.map(({ name, image }) => ({ name, image })),
    }));

/** The Summary API as text, and the two pages of metrics. */
export function serverStats(stats: StatsProvider): NodeStats {
  return {
    async summary({ onlyCpuAndMemory: isReduced, signal }) {
      const summary = await stats.summary({ fresh: false, signal });
      return summaryJson(isReduced ? onlyCpuAndMemory(summary) : summary);
    },
    containerMetrics: (options) => stats.containerMetrics(options),
    resourceMetrics: (options) => stats.resourceMetrics(options),
  };
}
