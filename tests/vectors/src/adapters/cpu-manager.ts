import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Container, type CpuInfo, errorMessage, type MachineTopology, type Pod, type TopologyHints } from '@nodeagent/api';
import { CpuSet, findContainer } from '@nodeagent/api/helpers';
import {
  allocateCpus,
  type CpuState,
  containerCpuHints,
  createStaticPolicy,
  emptyCpuState,
  indexCpus,
  podCpuHints,
  releaseCpus,
  startState,
  type TakeOptions,
  takeByTopology,
} from '@nodeagent/cpu-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
type Recorded = any;

function readTopology(dir: string, name: string): Pick<MachineTopology, 'cpus'> {
  const recorded: Recorded = JSON.parse(readFileSync(join(dir, 'cpu-topologies.json'), 'utf8'))[name];
  const cpus = recorded.cpus.map(({ cpu, core, socket, numa, uncore }: Record<string, number>) => {
    return { cpu, core, socket, numaNode: numa, uncoreCache: uncore } as CpuInfo;
  });
  return { cpus };
}

const modes: Record<string, TakeOptions> = {
  packed: {},
  spread: { distributeCPUsAcrossCores: true },
  uncore: { preferAlignByUncoreCache: true },
  distributed: { distributeCPUsAcrossNUMA: true },
  'distributed-full-cores': { distributeCPUsAcrossNUMA: true, fullPCPUsOnly: true },
};

const containersOf = ({ spec }: Pod): Container[] => [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];

const recordedHints = (hints: TopologyHints) =>
  Object.fromEntries(
    Object.entries(hints).map(([resource, list]) => [
      resource,
      list?.map(({ numaNodes, preferred }) => ({ numa: numaNodes, preferred })) ?? null,
    ]),
  );

function replayStatic({ topology, options, numReserved, reservedCPUs, steps }: Recorded, dir: string) {
  const policy = createStaticPolicy({
    topology: readTopology(dir, topology),
    numReservedCPUs: numReserved,
    reservedSystemCPUs: CpuSet.parse(reservedCPUs),
    policyOptions: options,
    featureGates: { CPUManagerPolicyAlphaOptions: true },
  });
  let state: CpuState = startState(policy, emptyCpuState);
  const initialDefaultCPUSet = state.defaultCpuSet.toString();
  const pods = new Map<string, { pod: Pod; numaHints: Recorded }>();

  function allocate(pod: Pod, container: Container, numa: number[] | undefined) {
    const cpusNow = () =>
      state.assignments
        .get(pod.metadata?.uid ?? '')
        ?.get(container.name)
        ?.toString() ?? null;
    try {
      state = allocateCpus(policy, state, pod, container, { numaNodes: numa ?? null, preferred: true }).state;
    } catch (error) {
      return { cpus: cpusNow(), defaultCPUSet: state.defaultCpuSet.toString(), error: errorMessage(error) };
    }
    return { cpus: cpusNow(), defaultCPUSet: state.defaultCpuSet.toString() };
  }

  function replayStep(step: Recorded) {
    if (step.op === 'allocatePod') pods.set(step.pod.metadata.uid, step);
    const { pod, numaHints } = pods.get(step.podUID) ?? step;
    if (step.op === 'hints') {
      const container = findContainer(pod, step.container) as Container;
      return {
        container: recordedHints(containerCpuHints(policy, state, pod, container)),
        pod: recordedHints(podCpuHints(policy, state, pod)),
      };
    }
    if (step.op === 'reallocate') return allocate(pod, findContainer(pod, step.container) as Container, numaHints[step.container]);
    const results = [];
    for (const container of containersOf(pod)) {
      if (step.op === 'removePod') {
        state = releaseCpus(state, pod.metadata?.uid ?? '', container.name);
        results.push({ container: container.name, defaultCPUSet: state.defaultCpuSet.toString() });
        continue;
      }
      const result = allocate(pod, container, numaHints[container.name]);
      results.push({ container: container.name, ...result });
      if ('error' in result) break;
    }
    return { results };
  }
  return { allocatable: policy.allocatable.toString(), initialDefaultCPUSet, steps: steps.map(replayStep) };
}

export const cpuManagerAdapters: Adapter[] = [
  defineAdapter('cpu-take', ({ available, mode, numCPUs, topology }, { dir }) => {
    try {
      return { cpus: takeByTopology(indexCpus(readTopology(dir, topology)), CpuSet.parse(available), numCPUs, modes[mode]).toString() };
    } catch (error) {
      return { error: errorMessage(error) };
    }
  }),
  defineAdapter('cpu-static', (input, { dir }) => replayStatic(input, dir)),
];
