import type { AgentConfiguration } from '@nodeagent/core';
import { badUsage, duration, type Flag, type FlagValues, oneOf, setting, text } from '../flags.js';

type ResourceManagers = NonNullable<AgentConfiguration['agent']['resourceManagers']>;

const cpuPolicies = ['none', 'static'] as const;
const memoryPolicies = ['None', 'Static'] as const;
const topologyPolicies = ['none', 'best-effort', 'restricted', 'single-numa-node'] as const;
const topologyScopes = ['container', 'pod'] as const;

/** Flags of the CPU, memory and topology managers, with the kubelet's names and defaults. */
export const resourceManagerFlags: readonly Flag[] = [
  {
    name: 'cpu-manager-policy',
    value: 'POLICY',
    choices: cpuPolicies,
    defaultText: 'none',
    help: 'static: containers of Guaranteed pods that request whole CPUs get exclusive ones. Needs root, cgroups and reserved CPUs.',
  },
  {
    name: 'cpu-manager-policy-options',
    value: 'NAME=VALUE[,...]',
    defaultText: 'none',
    help: 'options of the static policy, such as full-pcpus-only=true.',
  },
  {
    name: 'cpu-manager-reconcile-period',
    value: 'DURATION',
    defaultText: '10s',
    help: 'interval at which running containers lose CPUs that other containers got.',
  },
  { name: 'reserved-cpus', value: 'CPUS', defaultText: 'none', help: 'CPUs for the system and the agent, such as 0-1.' },
  {
    name: 'memory-manager-policy',
    value: 'POLICY',
    choices: memoryPolicies,
    defaultText: 'None',
    help: 'Static: containers of Guaranteed pods get memory of chosen NUMA nodes. Needs --reserved-memory.',
  },
  {
    name: 'reserved-memory',
    value: 'NODE:TYPE=AMOUNT[,...][;...]',
    defaultText: 'none',
    help: 'memory reserved on each NUMA node, such as 0:memory=1Gi;1:memory=1Gi.',
  },
  {
    name: 'topology-manager-policy',
    value: 'POLICY',
    choices: topologyPolicies,
    defaultText: 'none',
    help: 'which NUMA locality of CPUs, memory and devices a pod needs to be admitted.',
  },
  {
    name: 'topology-manager-scope',
    value: 'SCOPE',
    choices: topologyScopes,
    defaultText: 'container',
    help: 'whether the resources of a container or of a pod are aligned.',
  },
  {
    name: 'topology-manager-policy-options',
    value: 'NAME=VALUE[,...]',
    defaultText: 'none',
    help: 'options of the topology manager, such as prefer-closest-numa-nodes=true.',
  },
];

/** Reads the flags; the managers check the values. Throws `BAD_USAGE` naming the flag. */
export function readResourceManagers(values: FlagValues): ResourceManagers {
  return {
    ...setting(values, 'cpu-manager-policy', 'cpuManagerPolicy', (all, name) => oneOf(all, name, cpuPolicies)),
    ...setting(values, 'cpu-manager-policy-options', 'cpuManagerPolicyOptions', pairs),
    ...setting(values, 'cpu-manager-reconcile-period', 'cpuManagerReconcilePeriodMs', duration),
    ...setting(values, 'reserved-cpus', 'reservedSystemCPUs', text),
    ...setting(values, 'memory-manager-policy', 'memoryManagerPolicy', (all, name) => oneOf(all, name, memoryPolicies)),
    ...setting(values, 'reserved-memory', 'reservedMemory', reservedMemory),
    ...setting(values, 'topology-manager-policy', 'topologyManagerPolicy', (all, name) => oneOf(all, name, topologyPolicies)),
    ...setting(values, 'topology-manager-scope', 'topologyManagerScope', (all, name) => oneOf(all, name, topologyScopes)),
    ...setting(values, 'topology-manager-policy-options', 'topologyManagerPolicyOptions', pairs),
  };
}

const pairs = (values: FlagValues, name: string): Record<string, string> => readPairs(name, text(values, name));

function readPairs(name: string, list: string): Record<string, string> {
  return Object.fromEntries(
    list.split(',').map((pair) => {
      const [key = '', value, ...rest] = pair.split('=').map((part) => part.trim());
      if (key === '' || value === undefined || rest.length > 0) throw badUsage(`--${name}: "${pair}" is not NAME=VALUE`);
      return [key, value];
    }),
  );
}

function reservedMemory(values: FlagValues, name: string): NonNullable<ResourceManagers['reservedMemory']> {
  return text(values, name)
    .split(';')
    .map((part) => {
      const [, node, list = ''] = /^\s*(\d+):(.+)$/s.exec(part) ?? [];
      if (node === undefined) throw badUsage(`--${name}: "${part}" is not NODE:TYPE=AMOUNT, such as 0:memory=1Gi`);
      return { numaNode: Number(node), limits: readPairs(name, list) };
    });
}
