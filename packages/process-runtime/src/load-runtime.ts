import { lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger } from '@nodeagent/api';
import { createContainers } from './containers.js';
import { createEventPublisher, type PublishEvent } from './event-publisher.js';
import { createEventHub } from './events.js';
import { createProcessTable, type ProcessTable } from './process-table.js';
import { readBootId } from './processes.js';
import type { ContainerRecord, SandboxRecord } from './records.js';
import { asInterrupted, endLeftovers } from './recovery.js';
import { createSandboxes, primaryAddress } from './sandboxes.js';
import type { StartedRuntime } from './service/context.js';
import type { Stamps } from './stamps.js';
import type { Store } from './store.js';
import { createStreamingServer } from './streaming/streaming-server.js';
import { type Identity, resolveUser } from './user.js';
import { toContainerStatus, toSandboxStatus } from './views.js';

/** The lock file in the root folder. */
export const lockName = 'lock';

interface LoadOptions {
  root: string;
  address: string | undefined;
  leftoverGraceMs: number;
  /** The runtime's user. */
  own: Identity;
  clock: Clock;
  logger: Logger;
  stamps: Stamps;
}

/** Reads the records of the previous run and kills its containers. */
export async function loadRuntime(store: Store, options: LoadOptions): Promise<StartedRuntime> {
  const { root, address = primaryAddress(), own, clock, logger, stamps } = options;
  const bootId = await readBootId();
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const processes = createProcessTable({ folder: store.pipeFolder, device: lstatSync(join(root, lockName)).dev });
  const warn = (path: string, error: unknown) => logger.error({ path, err: error }, 'unreadable record set aside');
  const loadedContainers = store.containers.load(warn);
  const loadedSandboxes = store.sandboxes.load(warn);
  for (const time of timesOf(loadedContainers, loadedSandboxes)) stamps.advance(time);
  const recovered = await recoverContainers(loadedContainers, store, { ...options, bootId, processes });

  const events = createEventHub();
  const publish: PublishEvent = createEventPublisher({
    events,
    now: stamps.now,
    tables: () => ({ sandboxes, containers }),
    toSandboxStatus,
    toContainerStatus,
  });
  const shared = { store, bootId, stamp: stamps.next };
  const sandboxes = createSandboxes(loadedSandboxes, { ...shared, address, onEvent: (type, { id }) => publish(type, id, id) });
  const containers = createContainers(recovered, {
    ...shared,
    clock,
    logger,
    processes,
    own,
    resolveUser: (config) => resolveUser(config.metadata?.name ?? '', config.linux?.securityContext, own, passwd),
    onEvent: (type, { id, podSandboxId }) => publish(type, id, podSandboxId),
  });
  return { sandboxes, containers, events, streams: createStreamingServer({ clock, logger }) };
}

/** Kills the containers of the previous run; resolves to all records, those containers as exited. */
async function recoverContainers(
  loaded: ContainerRecord[],
  store: Store,
  { clock, logger, processes, bootId, leftoverGraceMs, stamps }: LoadOptions & { processes: ProcessTable; bootId: string },
): Promise<ContainerRecord[]> {
  const interrupted = loaded.filter((record) => record.state === 'CONTAINER_RUNNING' || record.starting);
  const ended = await endLeftovers(loaded, interrupted, { clock, logger, processes, bootId, graceMs: leftoverGraceMs });
  return loaded.map((record) => {
    if (!interrupted.includes(record)) return record;
    const exited = asInterrupted(record, ended.has(record.id), stamps.next());
    store.containers.save(exited);
    return exited;
  });
}

function timesOf(containers: readonly ContainerRecord[], sandboxes: readonly SandboxRecord[]): bigint[] {
  return [
    ...containers.flatMap(({ createdAt, startedAt, finishedAt }) => [createdAt, startedAt, finishedAt]),
    ...sandboxes.map(({ createdAt }) => createdAt),
  ];
}
