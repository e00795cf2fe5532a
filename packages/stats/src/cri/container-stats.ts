import type { CpuStats, IoStats, MemoryStats, NetworkStats, PsiData, PsiStats, SwapStats } from '@nodeagent/api';
import { formatNanos } from '@nodeagent/api/helpers';
import type {
  CpuUsage,
  ContainerStats as CriContainerStats,
  PsiStats as CriPsi,
  IoUsage,
  MemoryUsage,
  NetworkUsage,
} from '@nodeagent/cri-api';

/** Converts CRI's CPU usage to the Summary API; the caller passes the rate. */
export function criCpu(cpu: CpuUsage | undefined, usageNanoCores: bigint | undefined): CpuStats | undefined {
  if (cpu === undefined) return undefined;
  return {
    time: formatNanos(cpu.timestamp),
    usageNanoCores,
    usageCoreNanoSeconds: cpu.usageCoreNanoSeconds?.value,
    psi: criPsi(cpu.psi),
  };
}

export function criMemory(memory: MemoryUsage | undefined): MemoryStats | undefined {
  if (memory === undefined) return undefined;
  return {
    time: formatNanos(memory.timestamp),
    availableBytes: memory.availableBytes?.value,
    usageBytes: memory.usageBytes?.value,
    workingSetBytes: memory.workingSetBytes?.value,
    rssBytes: memory.rssBytes?.value,
    pageFaults: memory.pageFaults?.value,
    majorPageFaults: memory.majorPageFaults?.value,
    psi: criPsi(memory.psi),
  };
}

export function criSwap(swap: CriContainerStats['swap']): SwapStats | undefined {
  if (swap === undefined) return undefined;
  return {
    time: formatNanos(swap.timestamp),
    swapAvailableBytes: swap.swapAvailableBytes?.value,
    swapUsageBytes: swap.swapUsageBytes?.value,
  };
}

export function criIo(io: IoUsage | undefined): IoStats | undefined {
  return io && { time: formatNanos(io.timestamp), psi: criPsi(io.psi) };
}

/** The stats of the default interface are at the top level and in `interfaces`. */
export function criNetwork(network: NetworkUsage | undefined): NetworkStats | undefined {
  if (network === undefined) return undefined;
  const { defaultInterface, interfaces } = network;
  const all = [...(defaultInterface === undefined ? [] : [defaultInterface]), ...interfaces].map(
    ({ name, rxBytes, rxErrors, txBytes, txErrors }) => ({
      name,
      rxBytes: rxBytes?.value,
      rxErrors: rxErrors?.value,
      txBytes: txBytes?.value,
      txErrors: txErrors?.value,
    }),
  );
  return { time: formatNanos(network.timestamp), ...(defaultInterface && all[0]), interfaces: all };
}

function criPsi(psi: CriPsi | undefined): PsiStats | undefined {
  const data = (part: CriPsi['some']): PsiData => ({ ...(part ?? { total: 0n, avg10: 0, avg60: 0, avg300: 0 }) });
  return psi && { full: data(psi.full), some: data(psi.some) };
}
