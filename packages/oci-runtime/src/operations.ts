import type { Clock, Logger } from '@nodeagent/api';
import type { NetworkNamespaces } from '@nodeagent/cni';
import { createStreamingServer, type EventHub } from '@nodeagent/process-runtime/cri';
import type { MonitorControl } from './conmon/control.js';
import { checkpointContainer } from './containers/checkpoint.js';
import type { Containers } from './containers/containers.js';
import { execSync } from './exec/exec-sync.js';
import { serveExec } from './exec/serve-exec.js';
import type { OpenMachine } from './open-machine.js';
import type { Sandboxes } from './sandboxes/sandboxes.js';
import type { StartedRuntime } from './service/context.js';
import { containerCgroupFolder, podCgroupFolder, podCgroupParent } from './spec/cgroup-path.js';
import { containerResources } from './spec/resources.js';
import type { ContainerRecord } from './state/records.js';
import { readUsage } from './stats/container-usage.js';
import type { LayerUsages } from './stats/layer-usages.js';
import { createMetricReaders } from './stats/metric-readers.js';
import { readInterfaces } from './stats/network-usage.js';
import { createStreams } from './streams/streams.js';

export interface Operations {
  sandboxes: Sandboxes;
  containers: Containers;
  events: EventHub;
  control: MonitorControl;
  layers: LayerUsages;
  machine: OpenMachine;
  namespaces: NetworkNamespaces;
  clock: Clock;
  logger: Logger;
}

/** What a started runtime does beside the lifecycle of pods: stats, commands, streams and checkpoints. */
export function operations(parts: Operations): Omit<StartedRuntime, 'networkStatus' | 'hasUserNamespaces'> {
  const { sandboxes, containers, events, control, layers, machine, namespaces, clock, logger } = parts;
  const { find, folders, cgroups } = machine;
  const { run, handlers } = machine.ports;
  const bundleOf = ({ id }: ContainerRecord) => folders.containers.pathOf(id);
  const ociOf = ({ runtimeHandler }: ContainerRecord) => handlers.of(runtimeHandler).oci;
  return {
    ...{ sandboxes, containers, handlers, events, cgroups },
    ...measurements(parts),
    metrics: createMetricReaders({ cgroups, layersFolder: layers.folder, sandboxOf: (id) => sandboxes.find(id) }),
    toResources: (request) => containerResources(request, cgroups),
    streams: createStreamingServer({ clock, logger }),
    ...createStreams({
      ...{ clock, logger, control, findProgram: find },
      filesOf: (record) => containers.filesOf(record),
      exited: (id) => containers.exited(id),
      networkNamespace: (id) => namespaces.find(id),
    }),
    layerUsage: ({ id }) => layers.of(id),
    serveExec: (client, record, command, requested) => {
      const request = { containerId: record.id, bundle: bundleOf(record), command };
      return serveExec(client, request, requested, { oci: ociOf(record), clock });
    },
    execSync: (record, command, timeoutMs, signal) => {
      const request = { containerId: record.id, bundle: bundleOf(record), command };
      return execSync(request, timeoutMs, { oci: ociOf(record), clock }, signal);
    },
    checkpoint: (record, location, timeoutMs) =>
      checkpointContainer(
        { record, bundle: bundleOf(record), location, timeoutMs },
        { handler: handlers.of(record.runtimeHandler), run, findProgram: find },
      ),
  };
}

function measurements({ sandboxes, machine, namespaces }: Operations): Pick<StartedRuntime, 'usage' | 'sandboxUsage'> {
  const { driver, version } = machine.cgroups;
  return {
    usage: ({ id, podSandboxId }) => {
      const parent = podCgroupParent(sandboxes.find(podSandboxId)?.config ?? {}, driver);
      return readUsage(containerCgroupFolder(parent, id, driver), version);
    },
    async sandboxUsage({ id, config, infra }, running) {
      const parent = config.linux?.cgroupParent;
      const cgroup = parent ? readUsage(podCgroupFolder(parent, driver), version) : undefined;
      const netns = await namespaces.find(id);
      const processes = [...running.flatMap(({ record }) => record.process ?? []), ...(infra ? [infra] : [])];
      const interfaces = netns && (await readInterfaces(netns, processes, machine.ports.run));
      return { ...(cgroup && { cgroup }), ...(interfaces && { interfaces }) };
    },
  };
}
