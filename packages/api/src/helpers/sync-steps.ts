import type { SyncReason } from '../contracts/runtime.js';

/** One step of a sync in words: `start main`, `make a sandbox`. */
export function describeStep({ action, target }: Pick<SyncReason, 'action' | 'target'>): string {
  return `${verb[action]}${target && ` ${target}`}`;
}

/** What a sync was to do, with the reasons: `start main (its container exited), stop side (...)`; empty if it was to do nothing. */
export function describeSteps(reasons: readonly SyncReason[] = []): string {
  return reasons
    .filter(({ action }) => action !== 'keep')
    .map((step) => `${describeStep(step)} (${step.reason})`)
    .join(', ');
}

const verb: Record<SyncReason['action'], string> = {
  killPod: 'stop the pod',
  createSandbox: 'make a sandbox',
  start: 'start',
  kill: 'stop',
  keep: 'keep',
  reset: 'reset',
  update: 'change the resources of',
};
