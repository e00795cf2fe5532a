import type { Clock } from '@nodeagent/api';
import type { CgroupDriverName } from '@nodeagent/api/helpers';
import type { NetworkStatus } from '@nodeagent/cni';
import type { ExecSyncResponse, FilesystemUsage, LinuxContainerResources } from '@nodeagent/cri-api';
import { type Calls, createCalls, type EventHub, notStarted, type StreamingServer } from '@nodeagent/process-runtime/cri';
import type { RemoteCommandStreams, UpgradeRequest } from '@nodeagent/streaming';
import type { Containers } from '../containers/containers.js';
import type { RuntimeHandlers } from '../runtime/handlers.js';
import type { Sandboxes } from '../sandboxes/sandboxes.js';
import type { CgroupFacts } from '../spec/machine.js';
import type { OciResources } from '../spec/oci-spec.js';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import type { ContainerUsage } from '../stats/container-usage.js';
import type { MeasuredContainer, SandboxUsage } from '../stats/cri-stats.js';
import type { MetricReaders } from '../stats/metric-readers.js';
import type { Streams } from '../streams/streams.js';

/** A started runtime. */
export interface StartedRuntime extends Streams {
  sandboxes: Sandboxes;
  containers: Containers;
  handlers: RuntimeHandlers;
  events: EventHub;
  networkStatus(signal?: AbortSignal): Promise<NetworkStatus>;
  /** Undefined for a container that does not run. */
  usage(record: ContainerRecord): ContainerUsage | undefined;
  /** Of the writable layer; undefined if it cannot be measured. */
  layerUsage(record: ContainerRecord): Promise<FilesystemUsage | undefined>;
  /** Whether the machine has user namespaces. The OCI runtime must map the IDs of volumes, too. */
  hasUserNamespaces: boolean;
  /** @param containers - those that run in it */
  sandboxUsage(record: SandboxRecord, containers: readonly MeasuredContainer[]): Promise<SandboxUsage>;
  /** What only metrics report; read at each call. */
  metrics: MetricReaders;
  cgroups: CgroupFacts;
  /** The resources of the OCI runtime specification. */
  toResources(request: LinuxContainerResources): OciResources;
  streams: StreamingServer;
  serveExec(client: UpgradeRequest, record: ContainerRecord, command: string[], requested: RemoteCommandStreams): Promise<void>;
  checkpoint(record: ContainerRecord, location: string, timeoutMs: number): Promise<void>;
  execSync(record: ContainerRecord, command: string[], timeoutMs: number, signal?: AbortSignal): Promise<ExecSyncResponse>;
}

export interface RuntimeServicePorts {
  clock: Clock;
  runtimeName: string;
  cgroupDriver: CgroupDriverName;
  /** Undefined while the runtime is not started. */
  live(): StartedRuntime | undefined;
  /** Nanoseconds since 1970. */
  now(): bigint;
}

/** What the methods of the service share. */
export interface ServiceContext extends Calls {
  now(): bigint;
  /** Throws if the runtime is not started. */
  live(): StartedRuntime;
}

export function createServiceContext({ clock, now, live }: RuntimeServicePorts): ServiceContext {
  return {
    ...createCalls(clock),
    now,
    live() {
      const started = live();
      if (started === undefined) throw notStarted();
      return started;
    },
  };
}
