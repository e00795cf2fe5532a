import type { Container, Pod, RuntimeContainerStatus } from '@nodeagent/api';
import {
  effectiveRestartPolicy,
  newestInstance,
  podSandboxChanged,
  type SandboxChange,
  shouldContainerBeRestarted,
} from '@nodeagent/api/helpers';
import { podLevelResourcesDiffer } from './applied-and-desired.js';
import type { KillReason } from './container-grace-period.js';
import { computeResizeAction } from './container-resize.js';
import { containersToReset } from './containers-to-reset.js';
import { hashContainer } from './hash-container.js';
import { computeInitContainerActions } from './init-container-actions.js';
import type { PodActions, PodActionsInput } from './pod-actions.js';

/** The steps from a pod's observed containers and sandboxes to its spec, each with its reason. */
export function computePodActions(input: PodActionsInput): PodActions {
  const { pod, status } = input;
  const sandbox = podSandboxChanged(pod, status);
  const actions = noActions(sandbox);

  if (input.restartAllContainers) {
    actions.containersToReset = containersToReset(pod, status);
    for (const { name } of actions.containersToReset) note(actions, 'reset', name, 'all containers restart');
    return actions;
  }
  if (sandbox.changed) {
    computeNewSandboxActions(input, actions, sandbox);
    return actions;
  }
  computeEphemeralContainerActions(input, actions);
  const initialized = computeInitContainerActions(input, actions);
  if (actions.killPod || !initialized) return actions;

  const keep = computeRegularContainerActions(input, actions);
  if (keep === 0 && actions.containersToStart.length === 0) {
    actions.killPod = true;
    actions.initContainersToStart = [];
    note(actions, 'killPod', '', 'no regular container runs or is to start');
  }
  actions.updatePodLevelResources = podLevelResourcesDiffer(input);
  return actions;
}

function noActions({ changed, attempt, sandboxId, reason }: SandboxChange): PodActions {
  return {
    killPod: changed,
    createSandbox: changed,
    sandboxId,
    attempt,
    initContainersToStart: [],
    containersToStart: [],
    ephemeralContainersToStart: [],
    containersToKill: [],
    containersToUpdate: {},
    updatePodResources: false,
    updatePodLevelResources: false,
    containersToReset: [],
    reasons: changed ? [{ action: 'createSandbox', target: '', reason }] : [],
  };
}

/** In a new sandbox all containers start again, except those that have completed and must not restart. */
function computeNewSandboxActions({ pod, status }: PodActionsInput, actions: PodActions, { attempt }: SandboxChange): void {
  const endPod = (reason: string) => {
    actions.createSandbox = false;
    note(actions, 'killPod', '', reason);
  };
  if (pod.spec?.restartPolicy === 'Never' && attempt !== 0 && status.containerStatuses.length > 0) {
    endPod('the pod has run and must not restart');
    return;
  }
  const containers = pod.spec?.containers ?? [];
  const toStart = [...containers.keys()].filter((index) => !hasSucceededForGood(pod, containers[index] as Container, status));
  if (toStart.length === 0 && containers.some(({ name }) => isCreatedOrLater(newestInstance(status.containerStatuses, name)))) {
    endPod('all containers have exited and none restarts');
    return;
  }
  const [firstInit] = pod.spec?.initContainers ?? [];
  if (firstInit) {
    actions.initContainersToStart = [0];
    note(actions, 'start', firstInit.name, 'the first container of a new sandbox');
    return;
  }
  actions.containersToStart = toStart;
  for (const index of toStart) note(actions, 'start', containers[index]?.name ?? '', 'the sandbox is new');
}

function hasSucceededForGood(pod: Pod, container: Container, status: PodActionsInput['status']): boolean {
  const newest = newestInstance(status.containerStatuses, container.name);
  return effectiveRestartPolicy(pod, container) === 'OnFailure' && newest?.state === 'exited' && newest.exitCode === 0;
}

function isCreatedOrLater(newest: RuntimeContainerStatus | undefined): boolean {
  return newest !== undefined && newest.state !== 'unknown';
}

function computeEphemeralContainerActions({ pod, status, startedEphemeralContainers }: PodActionsInput, actions: PodActions): void {
  for (const [index, { name }] of (pod.spec?.ephemeralContainers ?? []).entries()) {
    if (startedEphemeralContainers?.has(name) || newestInstance(status.containerStatuses, name) !== undefined) continue;
    actions.ephemeralContainersToStart.push(index);
    note(actions, 'start', name, 'it has not run yet');
  }
}

/** Returns how many containers keep running. */
function computeRegularContainerActions(input: PodActionsInput, actions: PodActions): number {
  const { pod, status } = input;
  let keep = 0;
  for (const [index, container] of (pod.spec?.containers ?? []).entries()) {
    const { name } = container;
    const newest = newestInstance(status.containerStatuses, name);
    const start = (reason: string) => {
      actions.containersToStart.push(index);
      note(actions, 'start', name, reason);
    };
    if (newest?.state !== 'running') {
      if (!shouldContainerBeRestarted(pod, container, newest)) continue;
      if (newest?.state === 'unknown') {
        kill(actions, newest, 'Container is in "unknown" state, try killing it before restart', 'Unknown');
      }
      start(startReason(newest));
      continue;
    }
    const failure = killRunningReason(input, container, newest);
    if (failure === undefined) {
      if (computeResizeAction(input, container, newest, () => start('it restarts with other resources'), actions)) {
        keep++;
        note(actions, 'keep', name, 'it runs as specified');
      }
      continue;
    }
    const restart = failure.restart || effectiveRestartPolicy(pod, container) !== 'Never';
    kill(actions, newest, restart ? `${failure.message}, will be restarted` : failure.message, failure.reason);
    if (restart) start(failure.message);
  }
  return keep;
}

interface RunningFailure {
  message: string;
  reason: KillReason;
  restart: boolean;
}

/** Why a running container has to be killed. Restart rules are not considered: they apply to exit codes. */
function killRunningReason(
  { probeResults }: PodActionsInput,
  container: Container,
  { id, hash }: RuntimeContainerStatus,
): RunningFailure | undefined {
  const { name } = container;
  if (hash !== hashContainer(container)) return { message: `Container ${name} definition changed`, reason: '', restart: true };
  if (probeResults.liveness(id) === 'Failure') {
    return { message: `Container ${name} failed liveness probe`, reason: 'LivenessProbe', restart: false };
  }
  if (probeResults.startup(id) === 'Failure') {
    return { message: `Container ${name} failed startup probe`, reason: 'StartupProbe', restart: false };
  }
  return undefined;
}

function startReason(newest: RuntimeContainerStatus | undefined): string {
  switch (newest?.state) {
    case undefined:
      return 'it has not run yet';
    case 'exited':
      return `it exited with ${newest.exitCode} and its restart policy restarts it`;
    case 'created':
      return 'it was created but never started';
    default:
      return 'its state is unknown';
  }
}

function kill(actions: PodActions, { id, name }: RuntimeContainerStatus, message: string, reason: KillReason): void {
  actions.containersToKill.push({ id, name, message, reason });
  note(actions, 'kill', name, message);
}

function note(actions: PodActions, action: PodActions['reasons'][number]['action'], target: string, reason: string): void {
  actions.reasons.push({ action, target, reason });
}
