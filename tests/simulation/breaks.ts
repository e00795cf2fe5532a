import type { LineChange } from '../support/source-copy.js';

/** A wrong line in the agent's source, and the invariants that find it. */
export interface Break extends LineChange {
  foundBy: readonly string[];
}

/** Each breaks one promise of an agent; the simulation must find it. */
export const breaks: readonly Break[] = [
  {
    name: 'liveness-failure-never-restarts',
    file: 'packages/runtime-manager/src/decide/compute-pod-actions.ts',
    find: "if (probeResults.liveness(id) === 'Failure') {",
    replace: 'if (false) {',
    foundBy: ['liveness failures'],
  },
  {
    name: 'grace-period-is-always-2s',
    file: 'packages/runtime-manager/src/sync/kill-container.ts',
    find: 'const timeout = stopTimeout(grace);',
    replace: 'const timeout = 2;',
    foundBy: ['grace periods'],
  },
  {
    name: 'container-is-always-ready',
    file: 'packages/status-manager/src/generate/apply-probe-results.ts',
    find: "const result = probes.readiness(container.containerID ?? '');",
    replace: "const result: string = 'Success';",
    foundBy: ['readiness'],
  },
  {
    name: 'observed-generation-regresses',
    file: 'packages/status-manager/src/manager/next-version.ts',
    find: 'Math.max(oldStatus.observedGeneration ?? 0, newStatus.observedGeneration ?? 0);',
    replace: '(newStatus.observedGeneration ?? 0) - (cached?.version ?? 0);',
    foundBy: ['observed generations'],
  },
  {
    name: 'lease-is-never-renewed',
    file: 'packages/node-status/src/lease/node-lease.ts',
    find: 'this.#lease = await this.#update(current, signal);',
    replace: 'this.#lease = current;',
    foundBy: ['lease'],
  },
  {
    name: 'pre-stop-never-runs',
    file: 'packages/runtime-manager/src/sync/kill-container.ts',
    find: 'if (container?.lifecycle?.preStop && grace > 0) {',
    replace: 'if (container?.lifecycle?.preStop && grace < 0) {',
    foundBy: ['preStop hooks'],
  },
  {
    name: 'admission-ignores-ending-pods',
    file: 'packages/allocation/src/node-decisions.ts',
    find: "metadata.deletionTimestamp === undefined || allocations.has(metadata.uid ?? '');",
    replace: 'metadata.deletionTimestamp === undefined;',
    foundBy: ['requests'],
  },
  {
    name: 'last-in-rank-is-evicted',
    file: 'packages/eviction/src/pressure-relief.ts',
    find: 'for (const { pod } of ranked) {',
    replace: 'for (const { pod } of ranked.toReversed()) {',
    foundBy: ['eviction rank'],
  },
  {
    name: 'wanted-volume-is-unmounted',
    file: 'packages/volume-manager/src/reconciler/plan.ts',
    find: 'if (desired.podExistsInVolume(podUid, volumeName, mounted.volume.seLinuxLabel) || isPending(volumeName, podUid)) continue;',
    replace: 'if (isPending(volumeName, podUid)) continue;',
    foundBy: ['unmounts', 'mounts of running containers'],
  },
  {
    name: 'events-are-unlimited',
    file: 'packages/event-recorder/src/correlator/spam-bucket.ts',
    find: 'const allowed = creditMs >= earnMs;',
    replace: 'const allowed = true;',
    foundBy: ['event limits'],
  },
  {
    name: 'images-in-use-are-removed',
    file: 'packages/image-gc/src/cri-images.ts',
    find: 'return [...containers.map(({ imageId, imageRef }) => imageId || imageRef), ...[...found.values()].flat()];',
    replace: 'return [...found.values()].flat();',
    foundBy: ['images in use'],
  },
  {
    name: 'resize-applies-before-it-is-saved',
    file: 'packages/allocation/src/allocations.ts',
    find: '      }\n      return saved();\n',
    replace: '      }\n      for (const [uid, allocation] of granted) allocations.set(uid, allocation);\n      return Promise.resolve();\n',
    foundBy: ['saved first'],
  },
  {
    name: 'sandbox-of-a-terminating-pod',
    file: 'packages/runtime-manager/src/sync/pod-sandbox.ts',
    find: '  if (context.podState.isPodTerminationRequested(podUid(pod))) return undefined;\n',
    replace: '',
    foundBy: ['late beginnings'],
  },
  {
    name: 'mount-for-a-terminating-pod',
    file: 'packages/volume-manager/src/reconciler/plan.ts',
    find: 'if (isTerminating(podUid)) continue;',
    replace: '',
    foundBy: ['late beginnings'],
  },
];
