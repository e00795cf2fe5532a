import type { Container } from '@nodeagent/cri-api';
import { labels } from '../config/labels.js';
import { containerIdFromLegacyLogSymlink, podUidFromLogsDirectory } from '../config/log-paths.js';
import { isNotFound } from '../cri/call-errors.js';
import { isBeingStarted } from '../decide/being-started.js';
import type { RuntimeContext } from '../runtime-context.js';
import { toContainerState } from '../status/listing.js';
import { killContainer } from '../sync/kill-container.js';
import { tryRemoveContainer } from '../sync/remove-container.js';
import { type ContainerToEvict, containersToEvict } from './containers-to-evict.js';
import { sandboxesToEvict } from './sandboxes-to-evict.js';

/** What one round of garbage collection may remove. */
export interface GcRound {
  allSourcesReady: boolean;
  evictNonDeletedPods: boolean;
}

/** One round: containers, then sandboxes, then logs. A failed removal is logged and retried in the next round; rejects if listing fails. */
export async function collectGarbage(context: RuntimeContext, round: GcRound): Promise<void> {
  await evictContainers(context, round);
  await evictSandboxes(context, round);
  if (round.allSourcesReady) {
    await removePodLogs(context);
    await removeDanglingLinks(context);
  }
}

async function evictContainers(context: RuntimeContext, round: GcRound): Promise<void> {
  const { cri, clock, settings, podState: pods } = context;
  const { containers } = await cri.listContainers({});
  const listed = new Set(containers.map(({ id }) => id));
  for (const id of context.logs.keys()) if (!listed.has(id)) context.logs.delete(id);
  const { maxPerPodContainer, maxContainers, minAgeMs } = settings;
  const evicted = containersToEvict({
    containers: containers
      .filter(({ metadata }) => metadata)
      .map(gcContainer)
      .filter((container) => pods.shouldPodContentBeRemoved(container.podUid) || !isBeingStarted(container, clock.now())),
    policy: { maxPerPodContainer, maxContainers, minAgeMs },
    // Without a minimum age every container is old enough, even if the clock was set back.
    now: minAgeMs === 0 ? Number.MAX_SAFE_INTEGER : clock.now(),
    pods,
    ...round,
  });
  for (const container of evicted) {
    if (container.kill && !(await killBeforeRemoval(context, container))) continue;
    await tryRemoveContainer(context, container.id, container.reason);
  }
}

function gcContainer({ id, metadata, labels: of, state, createdAt }: Container) {
  return { id, podUid: of[labels.podUid] ?? '', name: metadata?.name ?? '', state: toContainerState(state), createdAt };
}

async function killBeforeRemoval(context: RuntimeContext, { id, name }: ContainerToEvict): Promise<boolean> {
  const message = 'Container is in unknown state, try killing it before removal';
  try {
    await killContainer(context, { pod: undefined, containerId: id, containerName: name, message, reason: 'Unknown' });
    return true;
  } catch (error) {
    context.logger.warn({ containerID: id, err: error }, 'cannot stop container in unknown state');
    return false;
  }
}

async function evictSandboxes(context: RuntimeContext, { evictNonDeletedPods }: GcRound): Promise<void> {
  const { cri, podState: pods, actuated, logger } = context;
  await actuated.load();
  const revision = actuated.revision();
  const { containers } = await cri.listContainers({});
  const { items } = await cri.listPodSandbox({});
  const sandboxes = items.flatMap(({ id, metadata, state, createdAt }) =>
    metadata ? [{ id, podUid: metadata.uid, ready: state === 'SANDBOX_READY', createdAt }] : [],
  );
  const usedSandboxIds = new Set(containers.map(({ podSandboxId }) => podSandboxId));
  for (const { id, reason } of sandboxesToEvict({ sandboxes, usedSandboxIds, pods, evictNonDeletedPods })) {
    try {
      await cri.stopPodSandbox({ podSandboxId: id });
      await cri.removePodSandbox({ podSandboxId: id });
      logger.debug({ podSandboxID: id, reason }, 'removed sandbox');
    } catch (error) {
      if (!isNotFound(error)) logger.warn({ podSandboxID: id, err: error }, 'cannot remove sandbox');
    }
  }
  actuated.retain(new Set(sandboxes.map(({ podUid }) => podUid)), revision);
}

async function removePodLogs({ files, options: { podLogsDir }, podState, logger }: RuntimeContext): Promise<void> {
  for (const name of await files.list(podLogsDir)) {
    if (!podState.shouldPodContentBeRemoved(podUidFromLogsDirectory(name))) continue;
    await files.remove(`${podLogsDir}/${name}`).catch((error: unknown) => {
      logger.warn({ folder: name, err: error }, 'cannot remove the logs of a terminated pod');
    });
  }
}

/** A link dangles for a short time while its log is rotated, so the links of containers that have not exited are kept. */
async function removeDanglingLinks({ cri, files, legacyLogsDir, logger }: RuntimeContext): Promise<void> {
  for (const name of await files.list(legacyLogsDir)) {
    const path = `${legacyLogsDir}/${name}`;
    if (!name.endsWith('.log') || (await files.exists(path))) continue;
    const containerId = containerIdFromLegacyLogSymlink(path);
    const state = containerId && (await cri.containerStatus({ containerId }).catch(() => undefined))?.status?.state;
    if (state && state !== 'CONTAINER_EXITED') continue;
    await files.remove(path).catch((error: unknown) => {
      logger.warn({ link: path, err: error }, 'cannot remove the link to a removed log');
    });
  }
}
