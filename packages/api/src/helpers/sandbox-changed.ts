import type { PodRuntimeStatus } from '../contracts/runtime.js';
import type { Pod } from '../objects/pod.js';

/** Whether a pod needs a new sandbox, and the sandbox that it replaces. */
export interface SandboxChange {
  changed: boolean;
  /** The attempt of the current sandbox or, if changed, of the one to create. */
  attempt: number;
  /** The sandbox in use or to replace; empty if there is none or it cannot be reused. */
  sandboxId: string;
  /** Why it changed; empty if it did not. */
  reason: string;
}

/**
 * Compares a pod's newest sandbox with the pod's spec: whether the next sync creates a new sandbox. `sandboxStatuses` has the highest
 * attempt first.
 */
export function podSandboxChanged(pod: Pod, { sandboxStatuses }: Pick<PodRuntimeStatus, 'sandboxStatuses'>): SandboxChange {
  const [sandbox] = sandboxStatuses;
  if (sandbox === undefined) return { changed: true, attempt: 0, sandboxId: '', reason: 'the pod has no sandbox' };
  const replace = (reason: string, sandboxId = sandbox.id) => ({ changed: true, attempt: sandbox.attempt + 1, sandboxId, reason });

  if (sandboxStatuses.filter(({ state }) => state === 'ready').length > 1) return replace('more than one sandbox is ready');
  if (sandbox.state !== 'ready') return replace('the sandbox is not ready');
  const hostNetwork = pod.spec?.hostNetwork ?? false;
  if (sandbox.networkMode !== (hostNetwork ? 'NODE' : 'POD')) return replace('the sandbox has another network namespace', '');
  if (!hostNetwork && sandbox.network?.ip === '') return replace('the sandbox has no IP address');
  return { changed: false, attempt: sandbox.attempt, sandboxId: sandbox.id, reason: '' };
}
