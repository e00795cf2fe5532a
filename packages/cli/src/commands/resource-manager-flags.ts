import type { AgentConfiguration } from '@nodeagent/core/node';
import { badUsage, type FlagValues, text } from '../flags.js';
import { type SettingFlag, settingFlag } from './setting-flag.js';

type ResourceManagers = NonNullable<AgentConfiguration['agent']['resourceManagers']>;

/** Flags of the CPU, memory and topology managers, with the kubelet's names and defaults. The managers check the values. */
export const resourceManagerFlags: readonly SettingFlag[] = [
  settingFlag(
    'cpu-manager-policy',
    'agent.resourceManagers.cpuManagerPolicy',
    'static: containers of Guaranteed pods that request whole CPUs get exclusive ones. Needs root, cgroups and reserved CPUs.',
    { value: 'POLICY', defaultText: 'none' },
  ),
  settingFlag(
    'cpu-manager-policy-options',
    'agent.resourceManagers.cpuManagerPolicyOptions',
    'options of the static policy, such as full-pcpus-only=true.',
    { value: 'NAME=VALUE[,...]', defaultText: 'none', read: pairs },
  ),
  settingFlag(
    'cpu-manager-reconcile-period',
    'agent.resourceManagers.cpuManagerReconcilePeriodMs',
    'interval at which running containers lose CPUs that other containers got.',
    { defaultText: '10s' },
  ),
  settingFlag('reserved-cpus', 'agent.resourceManagers.reservedSystemCPUs', 'CPUs for the system and the agent, such as 0-1.', {
    value: 'CPUS',
    defaultText: 'none',
  }),
  settingFlag(
    'memory-manager-policy',
    'agent.resourceManagers.memoryManagerPolicy',
    'Static: containers of Guaranteed pods get memory of chosen NUMA nodes. Needs --reserved-memory.',
    { value: 'POLICY', defaultText: 'None' },
  ),
  settingFlag(
    'reserved-memory',
    'agent.resourceManagers.reservedMemory',
    'memory reserved on each NUMA node, such as 0:memory=1Gi;1:memory=1Gi.',
    { value: 'NODE:TYPE=AMOUNT[,...][;...]', defaultText: 'none', read: reservedMemory },
  ),
  settingFlag(
    'topology-manager-policy',
    'agent.resourceManagers.topologyManagerPolicy',
    'which NUMA locality of CPUs, memory and devices a pod needs to be admitted.',
    { value: 'POLICY', defaultText: 'none' },
  ),
  settingFlag(
    'topology-manager-scope',
    'agent.resourceManagers.topologyManagerScope',
    'whether the resources of a container or of a pod are aligned.',
    { value: 'SCOPE', defaultText: 'container' },
  ),
  settingFlag(
    'topology-manager-policy-options',
    'agent.resourceManagers.topologyManagerPolicyOptions',
    'options of the topology manager, such as prefer-closest-numa-nodes=true.',
    { value: 'NAME=VALUE[,...]', defaultText: 'none', read: pairs },
  ),
];

function pairs(values: FlagValues, name: string): Record<string, string> {
  return readPairs(name, text(values, name));
}

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
