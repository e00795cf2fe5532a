import type { SyncReason } from '../contracts/runtime.js';

/** Describes one step of a sync: `start main`, `create a sandbox`. */
export function describeStep({ action, target }: Pick<SyncReason, 'action' | 'target'>): string {
  return `${verb[action]}${target && ` ${target}`}`;
}

/** Describes the steps of a sync with their reasons: `start main (its container exited), stop side (...)`; empty if there are none. */
export function describeSteps(reasons: readonly SyncReason[] = []): string {
  return reasons
    .filter(({ action }) => action !== 'keep')
    .map((step) => `${describeStep(step)} (${step.reason})`)
    .join(', ');
}

const verb: Record<SyncReason['action'], string> = {
  killPod: 'stop the pod',
  createSandbox: 'create a sandbox',
  start: 'start',
  kill: 'stop',
  keep: 'keep',
  reset: 'reset',
  update: 'change the resources of',
};
