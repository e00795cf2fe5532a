import {
  type CgroupDriverName,
  type Clock,
  type EventRecorder,
  errorCode,
  type Logger,
  NodeAgentError,
  type Pod,
  parseCgroupfsPath,
  parseSystemdPath,
  type ResourceList,
} from '@nodeagent/api';
import { type CgroupFiles, createCgroupManager } from '@nodeagent/cgroups';
import { type ContainerManager, type ContainerManagerOptions, createContainerManager } from '@nodeagent/container-manager';
import type { RuntimeService } from '@nodeagent/cri-api';
import { machineCapacity } from '@nodeagent/node-status/decisions';
import type { RuntimeManagerOptions } from '@nodeagent/runtime-manager';
import { coreErrorCodes } from '../errors.js';
import type { MachineResources, NodeHost } from '../host/node-host.js';
import type { AgentOptions } from '../options/agent-options.js';
import type { NodeAgentSettings } from '../options/settings.js';

export interface AgentContainerManagerOptions {
  agent: Pick<AgentOptions, 'nodeName' | 'node' | 'runtimeOptions'>;
  host: Pick<NodeHost, 'machine' | 'machineResources' | 'kernelSettings' | 'kubelets'> & { cgroups: CgroupFiles };
  settings: Readonly<NodeAgentSettings>;
  /** Reports the cgroup driver. */
  runtime: Pick<RuntimeService, 'runtimeConfig'>;
  activePods(): Iterable<Pod>;
  /** Default: no container has exclusive CPUs. */
  hasExclusiveCpus?: RuntimeManagerOptions['hasExclusiveCpus'];
  /** Aborted when the agent stops. */
  signal: AbortSignal;
  clock: Clock;
  recorder: EventRecorder;
  logger: Logger;
}

/**
 * The container manager of an agent. `start` asks the runtime for its cgroup driver, and rejects with the runtime's error if it does not
 * respond.
 */
export function createAgentContainerManager(options: AgentContainerManagerOptions): ContainerManager {
  let manager: ContainerManager | undefined;
  let starting: Promise<void> | undefined;

  async function start(): Promise<void> {
    manager ??= await createManager(options);
    await manager.start(options.signal);
  }

  return {
    start() {
      starting ??= start().catch((error) => {
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

async function createManager(options: AgentContainerManagerOptions): Promise<ContainerManager> {
  const { agent, host, settings, activePods, clock, recorder, logger } = options;
  const driver = await readDriver(options);
  const runtimeSettings = agent.runtimeOptions?.settings ?? {};
  const { cpuCFSQuota = true, cpuCFSQuotaPeriodMs = 100 } = runtimeSettings;
  const { systemReserved, kubeReserved } = agent.node ?? {};
  const parse = driver === 'systemd' ? parseSystemdPath : parseCgroupfsPath;
  return createContainerManager({
    cgroups: createCgroupManager({ driver, files: host.cgroups, clock }),
    activePods,
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
    hasExclusiveCpus: (pod) => hasExclusiveCpus(pod, options.hasExclusiveCpus),
    ...(host.kernelSettings && { kernelSettings: host.kernelSettings }),
    protectKernelDefaults: settings.protectKernelDefaults,
    findKubelet: async () => host.kubelets?.().find(({ cgroupRoot }) => isSameRoot(cgroupRoot, settings.cgroupRoot)),
    clock,
    recorder,
    logger,
  });
}

const components = (path: string) => path.split('/').filter((each) => each !== '');
const isSameRoot = (a: string, b: string) => components(a).join('/') === components(b).join('/');

/** The driver of the runtime, else that of the settings. */
async function readDriver({
  runtime,
  settings,
  signal,
  logger,
}: Pick<AgentContainerManagerOptions, 'runtime' | 'settings' | 'signal' | 'logger'>): Promise<CgroupDriverName> {
  try {
    const { linux } = await runtime.runtimeConfig({}, { signal });
    if (linux !== undefined) return linux.cgroupDriver === 'SYSTEMD' ? 'systemd' : 'cgroupfs';
  } catch (error) {
    if (errorCode(error) !== 'CRI_UNIMPLEMENTED') throw error;
  }
  logger.info({ cgroupDriver: settings.cgroupDriver }, 'the runtime does not report its cgroup driver: using that of the settings');
  return settings.cgroupDriver;
}

/** The capacity of a machine, as of a Node without a limit of pods. */
export function capacityOf({ maxPids, ...machine }: MachineResources): ResourceList {
  const capacity = machineCapacity({ machine, maxPods: 0, podsPerCore: 0 });
  return {
    ...Object.fromEntries(Array.from(capacity, ([name, amount]) => [name, `${amount}`])),
    ...(maxPids !== undefined && { pid: `${maxPids}` }),
  };
}

function hasExclusiveCpus({ spec, ...rest }: Pod, hasExclusive: RuntimeManagerOptions['hasExclusiveCpus']): boolean {
  if (hasExclusive === undefined || spec === undefined) return false;
  const pod = { ...rest, spec };
  return [...(spec.initContainers ?? []), ...spec.containers].some((container) => hasExclusive(pod, container));
}
