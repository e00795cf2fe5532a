import { constants } from 'node:os';
import type { Clock, Logger } from '@nodeagent/api';
import type { PipeHolders } from './pipe-holders.js';
import type { ProcessTable } from './process-table.js';
import { membersOf, type ProcessInfo, sendSignal, stillRunning } from './processes.js';
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
 * What still runs of containers of an earlier run, by container id: of those that were interrupted, and of any whose pipes were made in this
 * state folder, although their record is lost or says otherwise. A container's main process is known by pid and start time, the others by
 * its session and descent, or by holding an end of its output pipes. If the main process is gone, its session's number proves nothing any
 * more: then only the pipes tell, and the sessions that their holders lead.
 */
export function findLeftovers(
  interrupted: readonly ContainerRecord[],
  bootId: string,
  all: readonly ProcessInfo[],
  { pids, ofThisRoot }: PipeHolders,
): Map<string, ProcessInfo[]> {
  const records = new Map(interrupted.map((record) => [record.id, record]));
  const found = new Map<string, ProcessInfo[]>();
  for (const id of new Set([...records.keys(), ...ofThisRoot])) {
    const { process, bootId: startedIn } = records.get(id) ?? {};
    const recorded = process !== undefined && startedIn === bootId ? stillRunning([process], all) : [];
    const held = new Set(pids.get(id));
    const holders = all.filter(({ pid }) => held.has(pid));
    const leaders = [...recorded, ...holders.filter(({ pid, session }) => pid === session)];
    const members = new Set([...membersOf(new Set(leaders.map(({ pid }) => pid)), all), ...holders]);
    if (members.size > 0) found.set(id, [...members]);
  }
  return found;
}

/**
 * Ends what containers of an earlier run have left running: their stop signal, SIGKILL after the grace, until they are gone.
 *
 * @param records - all that could be read, for the stop signals
 * @param interrupted - those of them that may still run
 * @returns the ids of the containers of which something still ran
 */
export async function endLeftovers(
  records: readonly ContainerRecord[],
  interrupted: readonly ContainerRecord[],
  ports: RecoveryPorts,
): Promise<Set<string>> {
  const { clock, logger } = ports;
  const stopSignals = new Map(records.map(({ id, config }) => [id, config.stopSignal]));

  const look = async () => {
    const holders = await ports.processes.pipeHolders();
    const all = await ports.processes.list();
    return { all, left: findLeftovers(interrupted, ports.bootId, all, holders) };
  };
  const { left } = await look();
  const ids = new Set(left.keys());
  if (ids.size > 0) logger.warn({ containers: [...ids] }, 'ending containers that a crashed run left behind');
  for (const [id, processes] of left) {
    for (const { pid } of processes) sendSignal(pid, signalNumber(stopSignals.get(id)));
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
