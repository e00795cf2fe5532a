import type { Container, Pod, RuntimeContainerStatus } from '@nodeagent/api';
import { effectiveRestartPolicy, isSidecar, newestInstance, shouldRestartOnExit } from '@nodeagent/api/helpers';
import type { KillReason } from './container-grace-period.js';
import { computeResizeAction } from './container-resize.js';
import { hashContainer } from './hash-container.js';
import type { PodActions, PodActionsInput } from './pod-actions.js';

/** What an init container means for the pod: it is initialized, it has failed, or neither yet. */
type Outcome = 'initialized' | 'podFailed' | 'pending';

/**
 * Decides about the init containers, the last one first: finds the one to start next, and keeps sidecars running. Adds to `actions`;
 * returns whether the regular containers may run. Kubernetes documentation, "Init Containers", "Sidecar Containers".
 *
 * Only containers of the current sandbox count: each new sandbox runs the init containers again. One of an earlier sandbox can be left if
 * its removal failed, or a regular one that was created and never started: docs/decisions/0070.
 */
export function computeInitContainerActions(input: PodActionsInput, actions: PodActions): boolean {
  const { pod } = input;
  const containers = pod.spec?.initContainers ?? [];
  if (containers.length === 0) return true;

  const current = containersOfSandbox(input, actions.sandboxId);
  let initialized = hasAnyRegularContainerCreated(pod, current);
  let previouslyInitialized = initialized;
  for (let index = containers.length - 1; index >= 0; index--) {
    const container = containers[index] as Container;
    const newest = newestInstance(current, container.name);
    if (newest === undefined) {
      if (previouslyInitialized && isSidecar(container)) start(actions, index, container.name, 'a sidecar of an initialized pod');
      continue;
    }
    if (previouslyInitialized && !isSidecar(container)) continue;

    const outcome = isSidecar(container)
      ? sidecarAction(input, actions, index, newest, previouslyInitialized)
      : initContainerAction(input, actions, index, newest);
    if (outcome === 'podFailed') {
      actions.killPod = true;
      actions.initContainersToStart = [];
      return false;
    }
    if (outcome === 'initialized') initialized = true;
    previouslyInitialized = true;
  }
  if (!previouslyInitialized) start(actions, 0, containers[0]?.name ?? '', 'the first init container');
  actions.initContainersToStart.reverse();
  return initialized;
}

function containersOfSandbox({ status }: PodActionsInput, sandboxId: string): RuntimeContainerStatus[] {
  return status.containerStatuses.filter(({ podSandboxId }) => podSandboxId === '' || podSandboxId === sandboxId);
}

/** A regular container that is created or running proves that all init containers have completed. */
function hasAnyRegularContainerCreated(pod: Pod, current: readonly RuntimeContainerStatus[]): boolean {
  return (pod.spec?.containers ?? []).some(({ name }) => {
    const state = newestInstance(current, name)?.state;
    return state === 'created' || state === 'running';
  });
}

function initContainerAction(input: PodActionsInput, actions: PodActions, index: number, newest: RuntimeContainerStatus): Outcome {
  const { pod } = input;
  const containers = pod.spec?.initContainers ?? [];
  const container = containers[index] as Container;
  const startThis = (reason: string) => start(actions, index, container.name, reason);
  const mayRestart = effectiveRestartPolicy(pod, container) !== 'Never';

  switch (newest.state) {
    case 'created':
      startThis('it was created but never started');
      return 'pending';
    case 'running':
      computeResizeAction(input, container, newest, () => startThis('it restarts with other resources'), actions);
      return 'pending';
    case 'exited': {
      if (isInitContainerFailed(newest)) {
        // Restart rules (KEP-5307) can restart it by its exit code although its restart policy does not.
        if (!mayRestart && !shouldRestartOnExit(pod, container, newest.exitCode))
          return failPod(actions, container, 'it failed and must not restart');
        startThis('it failed');
        return 'pending';
      }
      const next = containers[index + 1];
      if (next === undefined) return 'initialized';
      start(actions, index + 1, next.name, `${container.name} has succeeded`);
      return 'pending';
    }
    case 'unknown':
      if (!mayRestart) return failPod(actions, container, 'its state is unknown and it must not restart');
      kill(actions, newest, 'Init container is in "unknown" state, try killing it before restart', 'Unknown');
      startThis('its state is unknown');
      return 'pending';
  }
}

function sidecarAction(
  input: PodActionsInput,
  actions: PodActions,
  index: number,
  newest: RuntimeContainerStatus,
  previouslyInitialized: boolean,
): Outcome {
  const containers = input.pod.spec?.initContainers ?? [];
  const container = containers[index] as Container;
  const { name } = container;
  const startThis = (reason: string) => start(actions, index, name, reason);

  if (newest.state === 'created' || newest.state === 'exited') {
    startThis(newest.state === 'created' ? 'it was created but never started' : 'a sidecar that exited');
    return 'pending';
  }
  if (newest.state === 'unknown') {
    kill(actions, newest, 'Init container is in "unknown" state, try killing it before restart', 'Unknown');
    startThis('its state is unknown');
    return 'pending';
  }

  if (container.startupProbe) {
    const startup = input.probeResults.startup(newest.id);
    if (startup === 'Failure') {
      kill(actions, newest, `Init container ${name} failed startup probe`, 'StartupProbe');
      startThis('it failed its startup probe');
    }
    if (startup !== 'Success') return 'pending';
  }
  let outcome: Outcome = 'pending';
  if (!previouslyInitialized) {
    const next = containers[index + 1];
    if (next === undefined) outcome = 'initialized';
    else start(actions, index + 1, next.name, `the sidecar ${name} has started`);
  }
  if (hashContainer(container) !== newest.hash) {
    kill(actions, newest, `Init container ${name} definition changed`, '');
    startThis('its definition changed');
    return outcome;
  }
  if (container.livenessProbe) {
    const liveness = input.probeResults.liveness(newest.id);
    if (liveness === 'Failure') {
      kill(actions, newest, `Init container ${name} failed liveness probe`, 'LivenessProbe');
      startThis('it failed its liveness probe');
    }
    if (liveness === undefined || liveness === 'Failure') return outcome;
  }
  computeResizeAction(input, container, newest, () => startThis('it restarts with other resources'), actions);
  return outcome;
}

/** An init container that ran out of memory counts as failed even if it managed to exit with 0. */
function isInitContainerFailed({ exitCode, reason }: RuntimeContainerStatus): boolean {
  return exitCode !== 0 || reason === 'OOMKilled';
}

function start(actions: PodActions, index: number, name: string, reason: string): void {
  actions.initContainersToStart.push(index);
  actions.reasons.push({ action: 'start', target: name, reason });
}

function kill(actions: PodActions, { id, name }: RuntimeContainerStatus, message: string, reason: KillReason): void {
  actions.containersToKill.push({ id, name, message, reason });
  actions.reasons.push({ action: 'kill', target: name, reason: message });
}

function failPod(actions: PodActions, { name }: Container, reason: string): Outcome {
  actions.reasons.push({ action: 'killPod', target: name, reason });
  return 'podFailed';
}
