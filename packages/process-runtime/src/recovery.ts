import { constants } from 'node:os';
import type { Clock, Logger } from '@nodeagent/api';
import type { PipeHolders } from './pipe-holders.js';
import type { ProcessTable } from './process-table.js';
import { membersOf, type ProcessInfo, sendSignal, stillRunning } from './processes.js';
import type { ContainerRecord } from './records.js';
import { signalNumber } from './signals.js';

const pollMs = 50;
/** How long to wait for processes to exit after SIGKILL. */
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
 * The processes of the previous run's containers that still run, by container id: of interrupted containers, and of containers with pipes in
 * this state folder, even if their record is missing or outdated. The main process is identified by pid and start time, the others by its
 * session and parents, or by its output pipes. If the main process has exited, its session number may be reused: then only the pipes and
 * the sessions of their holders identify the processes.
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
 * Kills the leftover processes of the previous run's containers: sends their stop signals, SIGKILL after the grace period, and waits for
 * their exit.
 *
 * @param records - all readable records, for the stop signals
 * @param interrupted - the records of containers that may still run
 * @returns the ids of the containers that still had processes
 */
export async function endLeftovers(
  records: readonly ContainerRecord[],
  interrupted: readonly ContainerRecord[],
  ports: RecoveryPorts,
): Promise<Set<string>> {
  const { clock, logger } = ports;
  const stopSignals = new Map(records.map(({ id, config }) => [id, config.stopSignal]));

  const findRunning = async () => {
    const holders = await ports.processes.pipeHolders();
    const all = await ports.processes.list();
    return { all, left: findLeftovers(interrupted, ports.bootId, all, holders) };
  };
  const { left } = await findRunning();
  const ids = new Set(left.keys());
  if (ids.size > 0) logger.warn({ containers: [...ids] }, 'killing containers of a crashed run');
  for (const [id, processes] of left) {
    for (const { pid } of processes) sendSignal(pid, signalNumber(stopSignals.get(id)));
  }

  const started = clock.monotonic();
  const elapsed = () => clock.monotonic() - started;
  let processes = [...left.values()].flat();
  while (processes.length > 0 && elapsed() < ports.graceMs + killWaitMs) {
    if (elapsed() >= ports.graceMs) for (const { pid } of processes) sendSignal(pid, constants.signals.SIGKILL);
    await clock.sleep(pollMs);
    const next = await findRunning();
    // A process that has lost its parent is not found as a descendant again, so known processes are checked individually.
    processes = [...new Set([...[...next.left.values()].flat(), ...stillRunning(processes, next.all)])];
  }
  if (processes.length > 0) logger.error({ processes: processes.map(({ pid }) => pid) }, 'leftover processes do not exit');
  return ids;
}

/** The new record of an interrupted container. */
export function asInterrupted(record: ContainerRecord, wasRunning: boolean, finishedAt: bigint): ContainerRecord {
  const { process: _process, ...rest } = record;
  return {
    ...rest,
    state: 'CONTAINER_EXITED',
    starting: false,
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: wasRunning
      ? 'the runtime exited while the container ran, and killed the container at its next start'
      : 'the runtime exited while the container ran; the exit status of the container is unknown',
    finishedAt,
  };
}
