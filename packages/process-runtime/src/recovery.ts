import { constants } from 'node:os';
import type { Clock, Logger } from '@nodeagent/api';
import { membersOf, type ProcessInfo, type ProcessTable, sendSignal, stillRunning } from './processes.js';
import type { ContainerRecord } from './records.js';
import { signalNumber } from './signals.js';

const pollMs = 50;
/** How long processes get to disappear after SIGKILL. */
const killWaitMs = 10_000;

export interface RecoveryPorts {
  clock: Clock;
  logger: Logger;
  processes: ProcessTable;
  bootId: string;
  /** Between the stop signal and SIGKILL. */
  graceMs: number;
}

/**
 * Which of these containers' processes still run, by container id. A container's main process is known by pid and start time, the others
 * by its session and descent, or by holding an end of its output pipes. If the main process is gone, its session's number proves nothing
 * any more: then only the pipes tell.
 */
export function findLeftovers(
  records: readonly ContainerRecord[],
  bootId: string,
  all: readonly ProcessInfo[],
  pipeHolders: ReadonlyMap<string, readonly number[]>,
): Map<string, ProcessInfo[]> {
  const found = new Map<string, ProcessInfo[]>();
  for (const { id, process, bootId: startedIn } of records) {
    const leader = process !== undefined && startedIn === bootId ? stillRunning([process], all) : [];
    const members = new Set(membersOf(new Set(leader.map(({ pid }) => pid)), all));
    const holders = new Set(pipeHolders.get(id));
    const processes = all.filter((each) => members.has(each) || holders.has(each.pid));
    if (processes.length > 0) found.set(id, processes);
  }
  return found;
}

/**
 * Ends what containers of an earlier run have left running: their stop signal, SIGKILL after the grace, until they are gone.
 *
 * @returns the ids of the containers of which something still ran
 */
export async function endLeftovers(records: readonly ContainerRecord[], ports: RecoveryPorts): Promise<Set<string>> {
  const { clock, logger } = ports;
  if (records.length === 0) return new Set();

  const look = async () => {
    const holders = await ports.processes.pipeHolders();
    const all = await ports.processes.list();
    return { all, left: findLeftovers(records, ports.bootId, all, holders) };
  };
  const { left } = await look();
  const ids = new Set(left.keys());
  if (ids.size > 0) logger.warn({ containers: [...ids] }, 'ending containers that a crashed run left behind');
  for (const record of records) {
    for (const { pid } of left.get(record.id) ?? []) sendSignal(pid, signalNumber(record.config.stopSignal));
  }

  const started = clock.monotonic();
  const elapsed = () => clock.monotonic() - started;
  let processes = [...left.values()].flat();
  while (processes.length > 0 && elapsed() < ports.graceMs + killWaitMs) {
    if (elapsed() >= ports.graceMs) for (const { pid } of processes) sendSignal(pid, constants.signals.SIGKILL);
    await clock.sleep(pollMs);
    const next = await look();
    // One that has lost its parent is not found by descent again, so those seen before are looked for by themselves.
    processes = [...new Set([...[...next.left.values()].flat(), ...stillRunning(processes, next.all)])];
  }
  if (processes.length > 0) logger.error({ processes: processes.map(({ pid }) => pid) }, 'leftover processes do not end');
  return ids;
}

/** An interrupted container as it is reported from now on. */
export function asInterrupted(record: ContainerRecord, wasRunning: boolean, finishedAt: bigint): ContainerRecord {
  const { process: _gone, ...rest } = record;
  return {
    ...rest,
    state: 'CONTAINER_EXITED',
    starting: false,
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: wasRunning
      ? 'the runtime ended while the container ran, and its next run ended the container'
      : 'the runtime ended while the container ran; how the container ended is not known',
    finishedAt,
  };
}
