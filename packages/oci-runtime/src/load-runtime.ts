import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Logger } from '@nodeagent/api';
import type { CgroupDriverName } from '@nodeagent/api/helpers';
import { createCgroupManager } from '@nodeagent/cgroups';
import { machineCgroupFiles } from '@nodeagent/cgroups/node';
import { type Cni, createPodNetworks } from '@nodeagent/cni';
import { createNetworkNamespaces } from '@nodeagent/cni/node';
import type { PodSandboxConfig } from '@nodeagent/cri-api';
import {
  createEventHub,
  createEventPublisher,
  createStreamingServer,
  type PublishEvent,
  type Stamps,
} from '@nodeagent/process-runtime/cri';
import { checkConmon } from './conmon/check-conmon.js';
import { createMonitorControl } from './conmon/control.js';
import { monitorCgroup } from './conmon/monitor-cgroup.js';
import { monitorScope } from './conmon/monitor-scope.js';
import { createCdiRegistry } from './containers/cdi-registry.js';
import { checkpointContainer } from './containers/checkpoint.js';
import { createContainers } from './containers/containers.js';
import { watchExits } from './containers/exit-watch.js';
import { restoreNullDevice } from './containers/null-device.js';
import { planContainer } from './containers/plan-container.js';
import { createRootFileSystems } from './containers/root-file-systems.js';
import { unsupportedPlatform } from './errors.js';
import { execSync } from './exec/exec-sync.js';
import { serveExec } from './exec/serve-exec.js';
import type { RuntimeImageStore } from './images/image-store.js';
import { createPrograms, type RunProgram } from './programs.js';
import { recover } from './recovery.js';
import { openHandlers, type RuntimeHandlerOptions } from './runtime/handlers.js';
import { createSandboxes } from './sandboxes/sandboxes.js';
import { canCreateUserNamespaces } from './sandboxes/user-namespace.js';
import type { StartedRuntime } from './service/context.js';
import { containerCgroupFolder, podCgroupFolder, podCgroupParent } from './spec/cgroup-path.js';
import { containerResources } from './spec/resources.js';
import { openRecordFolder } from './state/record-folder.js';
import type { ContainerRecord, SandboxRecord } from './state/records.js';
import { readUsage } from './stats/container-usage.js';
import { createLayerUsages } from './stats/layer-usages.js';
import { readInterfaces } from './stats/network-usage.js';
import { createStreams } from './streams/streams.js';
import { toContainerStatus, toSandboxStatus } from './views.js';

/** The lock file in the root folder. */
export const lockName = 'lock';

interface LoadOptions {
  root: string;
  cni: Cni;
  images: RuntimeImageStore;
  handlers: Readonly<Record<string, RuntimeHandlerOptions>>;
  cgroupDriver: CgroupDriverName;
  conmon: string;
  cdiSpecDirs: readonly string[];
  clock: Clock;
  logger: Logger;
  stamps: Stamps;
}

/** The beginning of all names of a root folder that others could have on the machine: each run removes what has such a name and is not in use. */
const machineNames = (root: string) => `nodeagent-${createHash('sha256').update(root).digest('hex').slice(0, 8)}-`;

/** Checks the programs, recovers what the previous run left, and watches for exits. */
export async function loadRuntime(options: LoadOptions, signal?: AbortSignal): Promise<StartedRuntime & { close(): void }> {
  const { root, conmon, clock, logger, stamps } = options;
  const run = createPrograms(root);
  const find = (program: string) => findProgram(run, program);
  const handlers = await openHandlers(options.handlers, { root, run, cgroupDriver: options.cgroupDriver, findProgram: find });
  const conmonPath = await find(conmon);
  await checkConmon(conmonPath, run);
  const { machine } = handlers.get('');
  const { driver, version } = machine.cgroups;
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const exitDir = join(root, 'exits');
  mkdirSync(exitDir, { recursive: true, mode: 0o700 });
  const folders = {
    sandboxes: openRecordFolder<SandboxRecord>(join(root, 'sandboxes')),
    containers: openRecordFolder<ContainerRecord>(join(root, 'containers')),
  };
  const rootFileSystems = createRootFileSystems(options.images, machineNames(root));
  const monitorCgroupOf = (sandbox: PodSandboxConfig) => {
    const parent = podCgroupParent(sandbox, driver);
    return driver === 'systemd' ? monitorScope(parent) : monitorCgroup(parent);
  };
  const cgroups = createCgroupManager({ files: machineCgroupFiles, clock });
  const removeCgroup = (sandbox: PodSandboxConfig, id: string) =>
    cgroups.remove(containerCgroupFolder(podCgroupParent(sandbox, driver), id, driver).split('/').filter(Boolean));
  const programs = { run, handlers, rootFileSystems, exitDir, monitorCgroup: monitorCgroupOf, removeCgroup };
  const shared = { ...programs, bootId, clock, logger, stamp: stamps.next };
  restoreNullDevice();
  const recovered = await recover({ ...shared, ...folders, root });
  for (const { createdAt } of recovered.sandboxes) stamps.advance(createdAt);
  for (const { createdAt, startedAt, finishedAt } of recovered.containers)
    for (const time of [createdAt, startedAt, finishedAt]) stamps.advance(time);

  const namespaces = createNetworkNamespaces({ prefix: machineNames(root) });
  const networks = createPodNetworks({ cni: options.cni, namespaces, logger });
  const ready = new Set(recovered.sandboxes.filter(({ state }) => state === 'SANDBOX_READY').map(({ id }) => id));
  await networks.recover((id) => ready.has(id), signal);

  const layers = createLayerUsages({ mountpoint: options.images.root, measure: rootFileSystems.layerUsage, clock, now: stamps.now });
  const cdi = createCdiRegistry(options.cdiSpecDirs);
  const events = createEventHub();
  const control = createMonitorControl(clock);
  const publish: PublishEvent = createEventPublisher({
    events,
    now: stamps.now,
    sandboxStatus: (id) => {
      const sandbox = sandboxes.find(id);
      return sandbox && toSandboxStatus(sandbox);
    },
    containerStatuses: (id) => containers.list({ podSandboxId: id }).map(toContainerStatus),
  });
  const sandboxes = createSandboxes(recovered.sandboxes, {
    ...shared,
    folder: folders.sandboxes,
    networks,
    init: () => find('catatonit'),
    networkNamespace: (id) => namespaces.find(id),
    onEvent: (type, { id }) => publish(type, id, id),
  });
  const containers = createContainers(recovered.containers, {
    ...shared,
    folder: folders.containers,
    conmon: conmonPath,
    removeCgroup: ({ id, podSandboxId }) => removeCgroup(sandboxes.find(podSandboxId)?.config ?? {}, id),
    control,
    sandboxPaths: (sandbox) => sandboxes.paths(sandbox),
    plan: (request) => planContainer(request, { cdi, run }),
    onEvent(type, { id, podSandboxId }) {
      if (type === 'CONTAINER_DELETED_EVENT') layers.forget(id);
      publish(type, id, podSandboxId);
    },
  });
  const onExit = async (id: string) => {
    await containers.sync(id);
    // Also the first process of a shared process namespace may have been killed, which kills the others.
    const [container] = containers.list({ id });
    if (container !== undefined) sandboxes.sync(container.podSandboxId);
  };
  const unwatch = watchExits(exitDir, (id) => void onExit(id), logger);
  const close = () => {
    unwatch();
    layers.close();
  };
  await containers.sync();
  sandboxes.sync();
  return {
    ...{ sandboxes, containers, handlers, events, close },
    layerUsage: ({ id }) => layers.of(id),
    networkStatus: (signal) => options.cni.status(signal),
    hasUserNamespaces: await canCreateUserNamespaces(),
    toResources: (request) => containerResources(request, machine.cgroups),
    usage: ({ id, podSandboxId }) => {
      const parent = podCgroupParent(sandboxes.find(podSandboxId)?.config ?? {}, driver);
      return readUsage(containerCgroupFolder(parent, id, driver), version);
    },
    async sandboxUsage({ id, config, infra }, running) {
      const parent = config.linux?.cgroupParent;
      const cgroup = parent ? readUsage(podCgroupFolder(parent, driver), version) : undefined;
      const netns = await namespaces.find(id);
      const processes = [...running.flatMap(({ record }) => record.process ?? []), ...(infra ? [infra] : [])];
      const interfaces = netns && (await readInterfaces(netns, processes, run));
      return { ...(cgroup && { cgroup }), ...(interfaces && { interfaces }) };
    },
    cgroups: machine.cgroups,
    streams: createStreamingServer({ clock, logger }),
    ...createStreams({
      ...{ clock, logger, control, findProgram: find },
      filesOf: (record) => containers.filesOf(record),
      exited: (id) => containers.exited(id),
      networkNamespace: (id) => namespaces.find(id),
    }),
    serveExec: (client, { id, runtimeHandler }, command, requested) => {
      const { oci } = handlers.get(runtimeHandler);
      return serveExec(client, { containerId: id, bundle: folders.containers.pathOf(id), command }, requested, { oci, clock });
    },
    checkpoint: (record, location, timeoutMs) =>
      checkpointContainer(
        { record, bundle: folders.containers.pathOf(record.id), location, timeoutMs },
        { handler: handlers.get(record.runtimeHandler), run, findProgram: find },
      ),
    execSync: ({ id, runtimeHandler }, command, timeoutMs, signal) => {
      const { oci } = handlers.get(runtimeHandler);
      return execSync({ containerId: id, bundle: folders.containers.pathOf(id), command }, timeoutMs, { oci, clock }, signal);
    },
  };
}

/** The path of a program: conmon finds the OCI runtime by its path only. */
async function findProgram(run: RunProgram, program: string): Promise<string> {
  const { exitCode, stdout } = await run('which', [program]);
  if (exitCode === 0) return stdout.trim();
  throw unsupportedPlatform(`needs the program ${program}, which is not in PATH`, `Install it: apt install ${program}`);
}
