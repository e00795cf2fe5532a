import {
  type Container,
  errorHint,
  errorMessage,
  NodeAgentError,
  type Pod,
  type PodRuntimeStatus,
  type PodSyncResult,
  type RuntimeSyncOptions,
  type SyncReason,
  type SyncResult,
} from '@nodeagent/api';
import { formatPod, isSidecar, newestInstance, podKey, podReference, podUid } from '@nodeagent/api/helpers';
import { computePodActions } from '../decide/compute-pod-actions.js';
import type { PodActions } from '../decide/pod-actions.js';
import { runtimeManagerErrorCodes } from '../errors.js';
import type { RuntimeContext } from '../runtime-context.js';
import { appliedResources } from './actuated-resources.js';
import { ensureImageVolumes } from './image-volumes.js';
import { killContainer } from './kill-container.js';
import { killableFromStatus, killPod, outcome } from './kill-pod.js';
import { countPodStart } from './metrics.js';
import { notifyContainerStopped } from './notify-container-stopped.js';
import { createSandbox, makeSandboxConfig, newSandboxIps } from './pod-sandbox.js';
import { removeContainer, tryRemoveContainer } from './remove-container.js';
import { resizePod } from './resize-pod.js';
import { runtimeHandlerOf } from './runtime-handler.js';
import type { SyncSandbox } from './sync-sandbox.js';
import { tryStartContainer } from './try-start-container.js';

/** Thrown to stop a sync early; the last result has the reason. */
class SyncEnd extends Error {
  constructor(readonly reason: Error | undefined) {
    super('the sync was stopped early');
  }
}

/** Executes the steps of {@link computePodActions} in order. Never rejects. */
export async function syncPod(
  context: RuntimeContext,
  pod: Pod,
  status: PodRuntimeStatus,
  options: RuntimeSyncOptions = {},
): Promise<PodSyncResult> {
  const results: SyncResult[] = [];
  let reasons: SyncReason[] = [];
  try {
    const actions = decide(context, pod, status, options);
    reasons = actions.reasons;
    await notifyStoppedContainers(context, pod, status);
    await takeSteps(context, pod, status, actions, results);
    return { results, reasons };
  } catch (error) {
    const reason = error instanceof SyncEnd ? error.reason : error;
    if (reason === undefined) return { results, reasons };
    return { results, reasons, error: reason instanceof Error ? reason : new Error(errorMessage(reason)) };
  }
}

async function takeSteps(
  context: RuntimeContext,
  pod: Pod,
  status: PodRuntimeStatus,
  actions: PodActions,
  results: SyncResult[],
): Promise<void> {
  if (actions.createSandbox && actions.sandboxId !== '') {
    const text = 'Pod sandbox changed, it will be killed and re-created.';
    context.recorder.event(podReference(pod), 'Normal', 'SandboxChanged', text);
  }
  if (actions.killPod) await killWholePod(context, pod, status, actions, results);
  else await killAndResetContainers(context, pod, actions, results);
  if (!(actions.killPod && actions.createSandbox)) await pruneInitContainers(context, pod, status);

  // Without containers to start or resize, the sandbox's configuration is not needed.
  if (!actions.createSandbox && !startsContainers(actions) && !needsResize(actions)) return;
  const sandbox = await ensureSandbox(context, pod, status, actions, results);
  if (sandbox === undefined) return;
  const imageVolumes = startsContainers(actions) ? await ensureImageVolumes(context.ports.images, pod, sandbox) : new Map();
  await startContainers(context, pod, status, actions, { ...sandbox, imageVolumes }, results);
}

function decide(context: RuntimeContext, pod: Pod, status: PodRuntimeStatus, options: RuntimeSyncOptions): PodActions {
  const actions = computePodActions({
    pod,
    status,
    probeResults: context.probeResults,
    ...context.actuated.ofPod(pod),
    ...options,
  });
  if (actions.reasons.some(({ action }) => action !== 'keep')) {
    context.logger.debug({ pod: podKey(pod), reasons: actions.reasons }, 'pod needs changes');
  }
  return actions;
}

/** Calls `postStop` for regular containers that do not run, so that their exclusive CPUs are released before others start. */
async function notifyStoppedContainers(context: RuntimeContext, pod: Pod, { containerStatuses }: PodRuntimeStatus): Promise<void> {
  if (!context.ports.containerLifecycle?.postStop) return;
  for (const { name } of pod.spec?.containers ?? []) {
    const newest = newestInstance(containerStatuses, name);
    if (newest && newest.state !== 'running') await notifyContainerStopped(context, newest.id);
  }
}

function startsContainers({ ephemeralContainersToStart, initContainersToStart, containersToStart }: PodActions): boolean {
  return ephemeralContainersToStart.length + initContainersToStart.length + containersToStart.length > 0;
}

function needsResize({ containersToUpdate, updatePodResources, updatePodLevelResources }: PodActions): boolean {
  return Object.keys(containersToUpdate).length > 0 || updatePodResources || updatePodLevelResources;
}

async function killWholePod(
  context: RuntimeContext,
  pod: Pod,
  status: PodRuntimeStatus,
  actions: PodActions,
  results: SyncResult[],
): Promise<void> {
  const killed = await killPod(context, pod, killableFromStatus(status));
  results.push(...killed.results);
  if (killed.error) throw new SyncEnd(killed.error);
  if (!actions.createSandbox) return;
  for (const { name } of pod.spec?.initContainers ?? []) {
    for (const { id } of status.containerStatuses.filter((instance) => instance.name === name)) {
      await tryRemoveContainer(context, id, 'its init container runs again in the new sandbox');
    }
  }
}

async function killAndResetContainers(context: RuntimeContext, pod: Pod, actions: PodActions, results: SyncResult[]): Promise<void> {
  const take = async (action: 'KillContainer' | 'RemoveContainer', name: string, done: Promise<unknown>) => {
    const result = await outcome(
      action,
      name,
      action === 'KillContainer' ? runtimeManagerErrorCodes.killContainer : runtimeManagerErrorCodes.removeContainer,
      done,
    );
    results.push(result);
    if (result.error) throw new SyncEnd(result.error);
  };
  for (const { id: containerId, name, message, reason } of actions.containersToKill) {
    await take('KillContainer', name, killContainer(context, { pod, containerId, containerName: name, message, reason }));
  }
  for (const { id: containerId, name, kill } of actions.containersToReset) {
    if (kill) {
      const request = { pod, containerId, containerName: name, message: 'killing', gracePeriodOverride: 0 };
      await take('KillContainer', name, killContainer(context, request));
    }
    await take('RemoveContainer', name, removeContainer(context, containerId, { keepLogs: true }));
  }
}

/** Keeps the newest exited instance of each init container, for the pod's status, and removes the older ones. */
async function pruneInitContainers(context: RuntimeContext, pod: Pod, { containerStatuses }: PodRuntimeStatus): Promise<void> {
  for (const { name } of pod.spec?.initContainers ?? []) {
    const ended = containerStatuses.filter((instance) => instance.name === name && /^(exited|unknown)$/.test(instance.state));
    for (const { id } of ended.slice(1)) await tryRemoveContainer(context, id, 'a newer instance of the init container is kept');
  }
}

/** The sandbox to start containers in; undefined if the pod needs none, or none any more because it terminates. */
async function ensureSandbox(
  context: RuntimeContext,
  pod: Pod,
  status: PodRuntimeStatus,
  actions: PodActions,
  results: SyncResult[],
): Promise<SyncSandbox | undefined> {
  if (actions.killPod && !actions.createSandbox) return undefined;
  let { sandboxId: id } = actions;
  let podIps = status.ips;
  if (actions.createSandbox) {
    const created = await createNewSandbox(context, pod, actions, results);
    if (created === undefined) return undefined;
    ({ id, podIps } = created);
  }
  try {
    const config = await makeSandboxConfig(context, pod, actions.attempt);
    const runtimeHandler = context.settings.featureGates.RuntimeClassInImageCriAPI ? await runtimeHandlerOf(context, pod) : '';
    results.push({ action: 'ConfigPodSandbox', target: id });
    return { id, podIps, config, runtimeHandler };
  } catch (cause) {
    const text = `GeneratePodSandboxConfig for pod "${formatPod(pod)}" failed: ${errorMessage(cause)}`;
    const error = new NodeAgentError(runtimeManagerErrorCodes.configPodSandbox, text, { retryable: true, cause });
    results.push({ action: 'ConfigPodSandbox', target: id, error });
    throw new SyncEnd(error);
  }
}

async function createNewSandbox(
  context: RuntimeContext,
  pod: Pod,
  actions: PodActions,
  results: SyncResult[],
): Promise<{ id: string; podIps: string[] } | undefined> {
  const { recorder, podState, metrics } = context;
  const target = formatPod(pod);
  const fail = (cause: unknown) => {
    const error = new NodeAgentError(runtimeManagerErrorCodes.createPodSandbox, errorMessage(cause), { retryable: true, cause });
    results.push({ action: 'CreatePodSandbox', target, error });
    return new SyncEnd(error);
  };
  const isTerminating = () => podState.isPodTerminationRequested(podUid(pod));
  if (isTerminating()) return undefined;
  recordResources(context, pod, actions);
  const count = countPodStart(metrics);
  if (!(await prepareDynamicResources(context, pod))) return undefined;
  let id: string | undefined;
  try {
    id = await createSandbox(context, pod, actions.attempt);
    if (id === undefined) return undefined;
  } catch (error) {
    if (isTerminating()) return undefined;
    count.failed(error);
    const message = `Failed to create pod sandbox: ${errorMessage(error)}`;
    recorder.event(podReference(pod), 'Warning', 'FailedCreatePodSandBox', message, undefined, errorHint(error));
    throw fail(error);
  }
  try {
    const podIps = await newSandboxIps(context, pod, id);
    results.push({ action: 'CreatePodSandbox', target });
    context.options.onSandboxReady?.(pod);
    return { id, podIps };
  } catch (error) {
    throw fail(error);
  }
}

/** Records what the pod and its first containers start with, so that it is saved while the runtime creates the sandbox. */
function recordResources({ actuated }: RuntimeContext, pod: Pod, { initContainersToStart, containersToStart }: PodActions): void {
  const first = [
    ...initContainersToStart.map((index) => pod.spec?.initContainers?.[index]),
    ...containersToStart.map((index) => pod.spec?.containers[index]),
  ];
  for (const container of first) if (container) actuated.set(podUid(pod), container.name, appliedResources(pod, container));
  if (pod.spec?.resources) actuated.setPodLevel(podUid(pod), pod.spec.resources);
}

/** Returns false on failure, which ends the sync without an error: the claims may not exist yet, and the next sync retries. */
async function prepareDynamicResources({ ports, options, recorder, logger }: RuntimeContext, pod: Pod): Promise<boolean> {
  try {
    await ports.prepareDynamicResources?.(pod, options.signal);
    return true;
  } catch (error) {
    const message = `Failed to prepare dynamic resources: ${errorMessage(error)}`;
    recorder.event(podReference(pod), 'Warning', 'FailedPrepareDynamicResources', message);
    logger.warn({ pod: podKey(pod), err: error }, 'cannot prepare dynamic resources');
    return false;
  }
}

async function startContainers(
  context: RuntimeContext,
  pod: Pod,
  status: PodRuntimeStatus,
  actions: PodActions,
  sandbox: SyncSandbox,
  results: SyncResult[],
): Promise<void> {
  const start = async (type: Parameters<typeof tryStartContainer>[1], container: Container | undefined) => {
    if (container === undefined || context.podState.isPodTerminationRequested(podUid(pod))) return undefined;
    return tryStartContainer(context, type, { pod, container, status, sandbox }, results);
  };

  for (const index of actions.ephemeralContainersToStart) await start('ephemeral_container', pod.spec?.ephemeralContainers?.[index]);
  // Before sidecars and containers that start with the resized resources.
  if (needsResize(actions)) results.push(await resizePod(context, pod, sandbox.id, actions));
  for (const index of actions.initContainersToStart) {
    const container = pod.spec?.initContainers?.[index];
    const failed = await start('init_container', container);
    if (failed && container && !isSidecar(container)) return;
  }
  for (const index of actions.containersToStart) await start('container', pod.spec?.containers[index]);
}
