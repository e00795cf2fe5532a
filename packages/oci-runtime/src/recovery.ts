import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Logger } from '@nodeagent/api';
import { endMonitor, endProcesses } from './conmon/end-monitor.js';
import { lostExit } from './containers/exit-status.js';
import type { RootFileSystems } from './containers/root-file-systems.js';
import { helperVariable, type RunProgram } from './programs.js';
import type { RuntimeHandlers } from './runtime/handlers.js';
import type { RecordFolder } from './state/record-folder.js';
import type { ContainerRecord, SandboxRecord } from './state/records.js';
import type { RemoveCgroup } from './state/remove-cgroup.js';
import { removeFolder } from './state/remove-folder.js';

export interface RecoveryPorts {
  root: string;
  exitDir: string;
  sandboxes: RecordFolder<SandboxRecord>;
  containers: RecordFolder<ContainerRecord>;
  handlers: RuntimeHandlers;
  rootFileSystems: Pick<RootFileSystems, 'removeUnused'>;
  removeCgroup: RemoveCgroup;
  run: RunProgram;
  bootId: string;
  clock: Clock;
  logger: Logger;
  stamp(): bigint;
}

/** What the previous run of the agent has left, after what was incomplete is removed. */
export interface Recovered {
  sandboxes: SandboxRecord[];
  containers: ContainerRecord[];
}

/** How long programs of a killed agent may take before they are killed too. */
const helperGraceMs = 5_000;

/**
 * Reads the state of the previous run. Sandboxes and containers whose creation did not end are removed with all they have on the machine; so are
 * containers without a sandbox, and what the OCI runtime has without a record. After a restart of the machine all containers have exited and
 * no sandbox is ready. Idempotent: it may be killed, and run again.
 */
export async function recover(ports: RecoveryPorts): Promise<Recovered> {
  const { clock, logger, run } = ports;
  const programs = ports.handlers.all().map(({ oci }) => oci);
  // Such as mount(8): what it is about to do would come after its undoing.
  await endProcesses(`${helperVariable}=${ports.root}`, clock, helperGraceMs);
  const sandboxes = ports.sandboxes.load();
  const containers = ports.containers.load();
  const complete = sandboxes.records.filter(({ isComplete }) => isComplete).map((record) => recoverSandbox(record, ports));
  const known = new Set(complete.map(({ id }) => id));
  const kept = containers.records.filter(({ step, podSandboxId }) => step !== 'creating' && known.has(podSandboxId));
  // The first process of a sandbox that is not ready is one whose StopPodSandbox was killed.
  const ready = complete.filter(({ state }) => state === 'SANDBOX_READY').map(({ id }) => id);
  const keptIds = new Set([...ready, ...kept.map(({ id }) => id)]);

  const sandboxOf = (id: string) => {
    const owner = containers.records.find((record) => record.id === id)?.podSandboxId ?? id;
    return sandboxes.records.find((record) => record.id === owner);
  };
  const created = programs.flatMap((oci) => namesIn(oci.root));
  const left = [...containers.records.map(({ id }) => id), ...containers.unreadable, ...created].filter((id) => !keptIds.has(id));
  for (const id of new Set(left)) {
    logger.warn({ containerID: id }, 'removing a container that an earlier run of the agent left incomplete');
    await endMonitor(id, clock);
    for (const oci of programs) await oci.remove(id);
    const sandbox = sandboxOf(id);
    if (sandbox !== undefined) await ports.removeCgroup(sandbox.config, id);
    await removeFolder(ports.containers.pathOf(id), run);
  }
  await ports.rootFileSystems.removeUnused((id) => keptIds.has(id));
  for (const name of namesIn(ports.exitDir)) if (!keptIds.has(name)) rmSync(join(ports.exitDir, name), { force: true });
  const unfinished = sandboxes.records.filter(({ isComplete }) => !isComplete).map(({ id }) => id);
  for (const id of [...unfinished, ...sandboxes.unreadable]) {
    logger.warn({ podSandboxID: id }, 'removing a sandbox that an earlier run of the agent left incomplete');
    const sandbox = sandboxOf(id);
    if (sandbox !== undefined) await ports.removeCgroup(sandbox.config, id);
    await removeFolder(ports.sandboxes.pathOf(id), run);
  }
  return {
    sandboxes: complete,
    containers: await Promise.all(kept.map((record) => recoverContainer(record, ports))),
  };
}

function recoverSandbox(record: SandboxRecord, { bootId, sandboxes }: RecoveryPorts): SandboxRecord {
  if (record.bootId === bootId || record.state === 'SANDBOX_NOTREADY') return record;
  const stopped: SandboxRecord = { ...record, state: 'SANDBOX_NOTREADY' };
  sandboxes.save(stopped);
  return stopped;
}

async function recoverContainer(record: ContainerRecord, { bootId, containers, handlers, stamp }: RecoveryPorts): Promise<ContainerRecord> {
  if (record.step === 'exited') return record;
  let recovered = record;
  if (record.bootId !== bootId) {
    const { process: _process, monitor: _monitor, ...rest } = record;
    recovered = { ...rest, step: 'exited', ...lostExit('the machine restarted while the container existed', stamp()) };
  } else if (record.step === 'starting') {
    const state = await handlers.of(record.runtimeHandler).oci.state(record.id);
    recovered = state?.status === 'created' ? { ...record, step: 'created' } : { ...record, step: 'started', startedAt: stamp() };
  }
  if (recovered !== record) containers.save(recovered);
  return recovered;
}

/** The names of containers in a folder, which may be missing. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name));
  } catch {
    return [];
  }
}
