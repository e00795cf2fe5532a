import { errorCode, NodeAgentError, type Pod } from '@nodeagent/api';
import { type CgroupDriverName, parseCgroupfsPath, parseSystemdPath } from '@nodeagent/api/helpers';
import { type CgroupFiles, createCgroupManager } from '@nodeagent/cgroups';
import { type ContainerManager, type ContainerManagerOptions, createContainerManager } from '@nodeagent/container-manager';
import type { AgentParts, Components } from '../components.js';
import { coreErrorCodes } from '../errors.js';
import { capacityOf } from '../host/capacity.js';
import { combineHooks } from './resource-managers/container-hooks.js';

/**
 * The cgroups of the node and its pods; undefined if they are off, or if the host has no cgroups. `start` asks the runtime for its cgroup
 * driver, and rejects with the runtime's error if it does not respond.
 */
export function containerManager(c: Components): AgentParts['containerManager'] {
  const { cgroups } = c.host;
  if (!c.settings.cgroupsPerQOS || cgroups === undefined) return undefined;
  let manager: ContainerManager | undefined;
  let starting: Promise<void> | undefined;

  async function start(files: CgroupFiles): Promise<void> {
    manager ??= await createManager(c, files);
    await manager.start(c.ended.signal);
  }

  return {
    start() {
      starting ??= start(cgroups).catch((error) => {
        starting = undefined;
        throw error;
      });
      return starting;
    },
    async stop() {
      await starting?.catch(() => {});
      await manager?.stop();
    },
    get isEnabled() {
      return manager?.isEnabled ?? false;
    },
    updateQosCgroups: async () => manager?.updateQosCgroups(),
    get pods() {
      if (manager === undefined) throw new NodeAgentError(coreErrorCodes.notStarted, 'the container manager has not started');
      return manager.pods;
    },
  };
}

async function createManager(c: Components, files: CgroupFiles): Promise<ContainerManager> {
  const { agent, host, settings, common } = c;
  const driver = await readDriver(c);
  const runtimeSettings = agent.runtimeOptions?.settings ?? {};
  const { cpuCFSQuota = true, cpuCFSQuotaPeriodMs = 100 } = runtimeSettings;
  const { systemReserved, kubeReserved } = agent.node ?? {};
  const parse = driver === 'systemd' ? parseSystemdPath : parseCgroupfsPath;
  return createContainerManager({
    cgroups: createCgroupManager({ driver, files, clock: common.clock }),
    activePods: () => c.node.activePods().map((pod) => c.allocation.updatePodFromAllocation(pod)),
    capacity: capacityOf(await host.machineResources()),
    nodeName: agent.nodeName,
    cgroupRoot: parseCgroupfsPath(settings.cgroupRoot),
    ...(systemReserved && { systemReserved }),
    ...(kubeReserved && { kubeReserved }),
    enforceNodeAllocatable: settings.enforceNodeAllocatable as NonNullable<ContainerManagerOptions['enforceNodeAllocatable']>,
    ...(settings.systemReservedCgroup && { systemReservedCgroup: parse(settings.systemReservedCgroup) }),
    ...(settings.kubeReservedCgroup && { kubeReservedCgroup: parse(settings.kubeReservedCgroup) }),
    enforceCpuLimits: cpuCFSQuota,
    cpuPeriod: cpuCFSQuotaPeriodMs * 1000,
    podPidsLimit: settings.podPidsLimit,
    hugePageSizes: host.machine.hugePageSizes,
    ...(runtimeSettings.featureGates?.MemoryQoS && { memoryReservationPolicy: runtimeSettings.memoryReservationPolicy ?? 'None' }),
    qosReservedMemoryPercent: settings.qosReservedMemoryPercent,
    hasExclusiveCpus: (pod) => hasExclusiveCpus(c, pod),
    ...(host.kernelSettings && { kernelSettings: host.kernelSettings }),
    protectKernelDefaults: settings.protectKernelDefaults,
    findKubelet: async () => host.kubelets?.().find(({ cgroupRoot }) => isSameRoot(cgroupRoot, settings.cgroupRoot)),
    ...common,
  });
}

/** The driver of the runtime, else that of the settings. */
async function readDriver({ agent, settings, ended, common }: Components): Promise<CgroupDriverName> {
  try {
    const { linux } = await agent.cri.runtime.runtimeConfig({}, { signal: ended.signal });
    if (linux !== undefined) return linux.cgroupDriver === 'SYSTEMD' ? 'systemd' : 'cgroupfs';
  } catch (error) {
    if (errorCode(error) !== 'CRI_UNIMPLEMENTED') throw error;
  }
  const { cgroupDriver } = settings;
  common.logger.info({ cgroupDriver }, 'the runtime does not report its cgroup driver: using that of the settings');
  return cgroupDriver;
}

/** Whether a container of the pod has exclusive CPUs. */
function hasExclusiveCpus({ agent, resourceManagers }: Components, { spec, ...rest }: Pod): boolean {
  const { hasExclusiveCpus } = combineHooks(resourceManagers?.hooks, agent.runtimeOptions);
  if (hasExclusiveCpus === undefined || spec === undefined) return false;
  const pod = { ...rest, spec };
  return [...(spec.initContainers ?? []), ...spec.containers].some((container) => hasExclusiveCpus(pod, container));
}

const namesIn = (path: string) => path.split('/').filter((each) => each !== '');
const isSameRoot = (a: string, b: string) => namesIn(a).join('/') === namesIn(b).join('/');
