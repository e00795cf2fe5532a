import type { Clock, Container, EventRecorder, EventType, InspectableRuntime, Logger, Metrics, Pod, ProbeResults } from '@nodeagent/api';
import { containerReference } from '@nodeagent/api/helpers';
import type { ImageService } from '@nodeagent/cri-api';
import type { RuntimePorts } from './abortable-ports.js';
import type { LinuxResourceSettings } from './config/linux-resources.js';
import type { MountSources } from './config/mounts.js';
import type { CriRuntime } from './cri/methods.js';
import { containerEventMessage } from './decide/container-grace-period.js';
import type { PodFiles } from './files.js';
import type { PodStateProvider, RuntimeManagerOptions } from './options.js';
import type { ResolvedSettings } from './settings.js';
import type { ContainerLogs } from './status/container-logs.js';
import type { RuntimeHandlers } from './status/runtime-handlers.js';
import type { ActuatedResources } from './sync/actuated-resources.js';
import type { CrashLoopBackOff } from './sync/crash-loop-back-off.js';
import type { HookRunner } from './sync/hooks.js';

/** Shared by the parts of the runtime manager: its options with their defaults, and its state. */
export interface RuntimeContext {
  options: RuntimeManagerOptions;
  ports: RuntimePorts;
  settings: ResolvedSettings;
  /** The runtime with deadlines, metrics and reports of changes. */
  cri: CriRuntime;
  /** Receives the reports of changes. */
  listener: { onChange?: InspectableRuntime['onChange'] };
  imageService: Pick<ImageService, 'imageStatus'> | undefined;
  clock: Clock;
  /** When this agent started, in nanoseconds since 1970, as the runtime's timestamps. */
  agentStartedAt: bigint;
  recorder: EventRecorder;
  logger: Logger;
  metrics: Metrics;
  files: PodFiles;
  /** The features of the runtime's handlers. */
  handlers: RuntimeHandlers;
  hooks: HookRunner;
  probeResults: Pick<ProbeResults, 'liveness' | 'startup'>;
  podState: PodStateProvider;
  legacyLogsDir: string;
  mountSources: MountSources;
  resources: LinuxResourceSettings;
  backOff: CrashLoopBackOff;
  /** preStop hooks of kills that run or were aborted, by container id. */
  preStopHooks: Map<string, Promise<void>>;
  /** Removals of containers in flight, by container id. */
  removals: Map<string, Promise<void>>;
  /** The logs of containers whose status was read, by container id. */
  logs: Map<string, ContainerLogs>;
  actuated: ActuatedResources;
}

/** Records an event about a container, without its id. */
export function recordContainerEvent(
  { recorder }: Pick<RuntimeContext, 'recorder'>,
  pod: Pod,
  container: Pick<Container, 'name'>,
  event: { type: EventType; reason: string; message: string; containerId?: string; hint?: string | undefined },
): void {
  const { type, reason, message, containerId = '', hint } = event;
  const text = containerEventMessage({ id: containerId, name: container.name }, message);
  recorder.event(containerReference(pod, container.name), type, reason, text, undefined, hint);
}
