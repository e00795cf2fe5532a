import { invalidOption } from '@nodeagent/api';
import { CpuSet } from '@nodeagent/api/helpers';
import type { NodeStatusSettings } from '@nodeagent/node-status';

/** The reservations with the given CPUs, such as `0-1`, instead of theirs. Throws `InvalidOption`. */
export function reserveCpus(
  { systemReserved, kubeReserved }: Pick<NodeStatusSettings, 'systemReserved' | 'kubeReserved'>,
  reservedSystemCPUs: string,
): Pick<NodeStatusSettings, 'systemReserved' | 'kubeReserved'> {
  const { cpu: _, ...others } = kubeReserved ?? {};
  return { systemReserved: { ...systemReserved, cpu: `${parseCpus(reservedSystemCPUs).size}` }, kubeReserved: others };
}

function parseCpus(text: string): CpuSet {
  try {
    return CpuSet.parse(text);
  } catch {
    throw invalidOption('resourceManagers.reservedSystemCPUs', 'a list of CPUs such as 0-1,4', text);
  }
}
