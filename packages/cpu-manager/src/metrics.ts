import type { Metrics } from '@nodeagent/api';
import type { CpuSet } from '@nodeagent/api/helpers';
import type { CpuState } from './cpu-state.js';
import { groupsOf } from './cpu-topology.js';
import { freeCpus, type StaticPolicy } from './static-policy.js';

/** The metrics of the CPU manager with the kubelet's names. */
export function createCpuMetrics(metrics: Metrics) {
  const aligned = metrics.counter({
    name: 'kubelet_container_aligned_compute_resources_count',
    help: 'Cumulative number of aligned compute resources allocated to containers by alignment type.',
    labels: ['scope', 'boundary'],
  });
  const alignmentFailures = metrics.counter({
    name: 'kubelet_container_aligned_compute_resources_failure_count',
    help: 'Cumulative number of failures to allocate aligned compute resources to containers by alignment type.',
    labels: ['scope', 'boundary'],
  });
  const requests = metrics.counter({
    name: 'kubelet_cpu_manager_pinning_requests_total',
    help: 'The number of cpu core allocations which required pinning.',
  });
  const errors = metrics.counter({
    name: 'kubelet_cpu_manager_pinning_errors_total',
    help: 'The number of cpu core allocations which required pinning failed.',
  });
  const sharedPool = metrics.gauge({
    name: 'kubelet_cpu_manager_shared_pool_size_millicores',
    help: 'The size of the shared CPU pool for non-guaranteed QoS pods, in millicores.',
  });
  const exclusive = metrics.gauge({
    name: 'kubelet_cpu_manager_exclusive_cpu_allocation_count',
    help: 'The total number of CPUs exclusively allocated to containers running on this node',
  });
  const perNuma = metrics.gauge({
    name: 'kubelet_cpu_manager_allocation_per_numa',
    help: 'Number of CPUs allocated per NUMA node',
    labels: ['numa_node'],
  });
  return {
    /** Counts a request for exclusive CPUs. */
    countRequest: () => requests.inc(),
    countFailure({ options }: StaticPolicy) {
      errors.inc();
      if (options.fullPCPUsOnly) alignmentFailures.inc({ scope: 'container', boundary: 'physical_cpu' });
    },
    /** Counts a container that has its exclusive CPUs; `newCpus` if it got them by this request. */
    countAlignment({ options, topology }: StaticPolicy, newCpus: CpuSet | undefined) {
      if (options.fullPCPUsOnly) aligned.inc({ scope: 'container', boundary: 'physical_cpu' });
      if (newCpus === undefined) return;
      if (groupsOf(topology, newCpus, 'uncoreCache').length === 1) aligned.inc({ scope: 'container', boundary: 'uncore_cache' });
    },
    /** Sets the gauges. */
    observe(policy: StaticPolicy, state: CpuState) {
      const { topology, cpus } = policy;
      const assigned = cpus.difference(state.defaultCpuSet);
      sharedPool.set(freeCpus(policy, state).size * 1000);
      exclusive.set(assigned.size);
      for (const node of topology.groups('numaNode')) {
        perNuma.set(assigned.intersection(topology.cpusOf('numaNode', node)).size, { numa_node: String(node) });
      }
    },
  };
}
