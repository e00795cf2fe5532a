import { type Cni, createPodNetworks } from '@nodeagent/cni';
import { createNetworkNamespaces } from '@nodeagent/cni/node';
import { createEventHub, createEventPublisher, type PublishEvent } from '@nodeagent/process-runtime/cri';
import { createMonitorControl } from './conmon/control.js';
import { createCdiRegistry } from './containers/cdi-registry.js';
import { createContainers } from './containers/containers.js';
import { watchExits } from './containers/exit-watch.js';
import { restoreNullDevice } from './containers/null-device.js';
import { planContainer } from './containers/plan-container.js';
import { type MachineOptions, machineNames, type OpenMachine, openMachine } from './open-machine.js';
import { type Operations, operations } from './operations.js';
import { type Recovered, recover } from './recovery.js';
import { createSandboxes } from './sandboxes/sandboxes.js';
import { canCreateUserNamespaces } from './sandboxes/user-namespace.js';
import type { StartedRuntime } from './service/context.js';
import { createLayerUsages } from './stats/layer-usages.js';
import { toContainerStatus, toSandboxStatus } from './views.js';

/** The lock file in the root folder. */
export const lockName = 'lock';

interface LoadOptions extends MachineOptions {
  cni: Cni;
  cdiSpecDirs: readonly string[];
}

/** Checks the programs, recovers what the previous run left, and watches for exits. */
export async function loadRuntime(options: LoadOptions, signal?: AbortSignal): Promise<StartedRuntime & { close(): void }> {
  const machine = await openMachine(options);
  restoreNullDevice();
  const recovered = await recover({ ...machine.ports, ...machine.folders, root: options.root });
  advanceStamps(recovered, options);
  const namespaces = createNetworkNamespaces({ prefix: machineNames(options.root) });
  const networks = createPodNetworks({ cni: options.cni, namespaces, logger: options.logger });
  const ready = new Set(recovered.sandboxes.filter(({ state }) => state === 'SANDBOX_READY').map(({ id }) => id));
  await networks.recover((id) => ready.has(id), signal);

  const tables = createTables(recovered, machine, { ...options, networks, namespaces });
  const { sandboxes, containers, layers } = tables;
  const onExit = async (id: string) => {
    await containers.sync(id);
    // Also the first process of a shared process namespace may have been killed, which kills the others.
    const [container] = containers.list({ id });
    if (container !== undefined) sandboxes.sync(container.podSandboxId);
  };
  const hasUserNamespaces = await canCreateUserNamespaces();
  const unwatch = watchExits(machine.ports.exitDir, (id) => void onExit(id), options.logger);
  const close = () => {
    unwatch();
    layers.close();
  };
  try {
    await containers.sync();
    sandboxes.sync();
  } catch (error) {
    close();
    throw error;
  }
  return {
    ...operations({ ...tables, machine, namespaces, clock: options.clock, logger: options.logger }),
    networkStatus: (signal) => options.cni.status(signal),
    hasUserNamespaces,
    close,
  };
}

function advanceStamps({ sandboxes, containers }: Recovered, { stamps }: LoadOptions): void {
  for (const { createdAt } of sandboxes) stamps.advance(createdAt);
  for (const { createdAt, startedAt, finishedAt } of containers)
    for (const time of [createdAt, startedAt, finishedAt]) stamps.advance(time);
}

interface TableOptions extends LoadOptions, Pick<Operations, 'namespaces'> {
  networks: ReturnType<typeof createPodNetworks>;
}

/** The sandboxes and containers, and the events of both. */
function createTables(recovered: Recovered, { ports, folders, find, conmon }: OpenMachine, options: TableOptions) {
  const { images, clock, stamps, networks, namespaces } = options;
  const measure = ports.rootFileSystems.layerUsage;
  const layers = createLayerUsages({ mountpoint: images.root, measure, clock, now: stamps.now });
  const cdi = createCdiRegistry(options.cdiSpecDirs);
  const events = createEventHub();
  const control = createMonitorControl(clock);
  const publish: PublishEvent = createEventPublisher({
    events,
    now: stamps.now,
    tables: () => ({ sandboxes, containers }),
    toSandboxStatus,
    toContainerStatus,
  });
  const sandboxes = createSandboxes(recovered.sandboxes, {
    ...ports,
    folder: folders.sandboxes,
    networks,
    init: () => find('catatonit'),
    networkNamespace: (id) => namespaces.find(id),
    onEvent: (type, { id }) => publish(type, id, id),
  });
  const containers = createContainers(recovered.containers, {
    ...ports,
    folder: folders.containers,
    conmon,
    removeCgroup: ({ id, podSandboxId }) => ports.removeCgroup(sandboxes.find(podSandboxId)?.config ?? {}, id),
    removeCpuQuota: ({ id, podSandboxId }) => ports.removeCpuQuota(sandboxes.find(podSandboxId)?.config ?? {}, id),
    control,
    sandboxPaths: (sandbox) => sandboxes.paths(sandbox),
    plan: (request) => planContainer(request, { cdi, run: ports.run }),
    onEvent(type, { id, podSandboxId }) {
      if (type === 'CONTAINER_DELETED_EVENT') layers.forget(id);
      publish(type, id, podSandboxId);
    },
  });
  return { sandboxes, containers, events, control, layers };
}
