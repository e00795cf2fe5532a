import type { LinuxContainerSecurityContext } from '@nodeagent/cri-api';

/** Hidden from a container without a security context: the kubelet's list. */
const defaultMasked = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/sys/devices/virtual/powercap',
  '/sys/firmware',
];

/** Read-only for a container without a security context: the kubelet's list. */
const defaultReadonly = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/**
 * The hidden and read-only paths of a container: those of the security context, also none (`procMount: Unmasked`): an absent list is
 * an empty one in the CRI. A privileged container has none. Without a security context they are the kubelet's defaults.
 */
export function hiddenPaths(context: LinuxContainerSecurityContext | undefined): { maskedPaths: string[]; readonlyPaths: string[] } {
  if (context === undefined) return { maskedPaths: defaultMasked, readonlyPaths: defaultReadonly };
  if (context.privileged) return { maskedPaths: [], readonlyPaths: [] };
  return { maskedPaths: context.maskedPaths ?? [], readonlyPaths: context.readonlyPaths ?? [] };
}
