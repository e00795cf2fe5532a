import { readFileSync } from 'node:fs';
import { type RunProgram, runOrThrow } from '../programs.js';
import { isRunning, type ProcessRef } from '../state/process-ref.js';

/** Counters of one direction, since the interface came up. */
interface TrafficUsage {
  bytes: bigint;
  packets: bigint;
  errors: bigint;
  dropped: bigint;
}

/** The traffic of a network interface. */
export interface InterfaceUsage {
  name: string;
  receive: TrafficUsage;
  transmit: TrafficUsage;
}

/** Reads the table in /proc/net/dev without the loopback interface: proc_pid_net(5). */
export function parseInterfaces(text: string): InterfaceUsage[] {
  return text.split('\n').flatMap((line) => {
    const [, name, rest = ''] = /^\s*([^\s:]+):(.*)$/.exec(line) ?? [];
    const counters = rest.trim().split(/\s+/);
    if (name === undefined || name === 'lo' || counters.length < 16 || !counters.every((value) => /^\d+$/.test(value))) return [];
    const at = (index: number) => BigInt(counters[index] ?? 0);
    const traffic = (from: number) => ({ bytes: at(from), packets: at(from + 1), errors: at(from + 2), dropped: at(from + 3) });
    return [{ name, receive: traffic(0), transmit: traffic(8) }];
  });
}

/**
 * Reads the interfaces of a network namespace: through one of the processes in it, and only if none runs by a program. Undefined if the
 * namespace is removed meanwhile.
 */
export async function readInterfaces(
  path: string,
  processes: readonly ProcessRef[],
  run: RunProgram,
): Promise<InterfaceUsage[] | undefined> {
  const process = processes.find(isRunning);
  try {
    return parseInterfaces(
      process === undefined
        ? await runOrThrow(run, 'nsenter', [`--net=${path}`, '--', 'cat', '/proc/net/dev'])
        : readFileSync(`/proc/${process.pid}/net/dev`, 'utf8'),
    );
  } catch {
    return undefined;
  }
}
