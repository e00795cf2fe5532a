import type { ContainerConfig } from '@nodeagent/cri-api';

/** The limits of a container that plain processes do not have: `cpu`, `memory`. */
export function unenforcedLimits({ linux }: ContainerConfig): string[] {
  const { cpuQuota = 0n, memoryLimitInBytes = 0n } = linux?.resources ?? {};
  return [...(cpuQuota > 0n ? ['cpu'] : []), ...(memoryLimitInBytes > 0n ? ['memory'] : [])];
}
