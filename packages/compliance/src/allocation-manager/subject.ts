import type { AllocationManager, Pod, PodAdmitHandler, ResourceList } from '@nodeagent/api';
import type { SuiteCase } from '../suite/suite.js';
import { suitePod } from '../support/pods.js';
import { type Advance, settled } from '../support/waiting.js';

/** The ports that the suite passes to the allocation manager. */
export interface AllocationPorts {
  /** The pods on the node, with the specs of their sources. */
  activePods(): readonly Pod[];
  /** The node's allocatable resources: one CPU, 1 GiB of memory. */
  nodeAllocatable(): ResourceList;
  /** Called when the pod's resize was granted, refused or withdrawn. */
  syncPod(podUid: string): void;
  /** Called in this order. */
  admitHandlers: readonly PodAdmitHandler[];
}

/** An allocation manager under test. */
export interface AllocationManagerSubject {
  /** Creates a manager, not started. With the capability `checkpoint` it restores what a previous one of this subject saved. */
  create(ports: AllocationPorts): AllocationManager;
  advance: Advance;
}

/** Optional capabilities; `without` of the suite's options skips their cases. */
export type AllocationCapability = 'checkpoint';

/** The argument of a case. */
export interface AllocationSession {
  manager: AllocationManager;
  /** Creates another manager over the same ports. */
  create(): AllocationManager;
  advance: Advance;
  /** The active pods by uid. */
  active: Map<string, Pod>;
  /** Called in this order; a case may add handlers. */
  handlers: PodAdmitHandler[];
  /** The uids of pods to be synced, in the order of the calls. */
  synced: string[];
  /** Adds the pod to the active ones and to the manager. */
  add(pod: Pod): ReturnType<AllocationManager['addPod']>;
  /** The pod's new spec becomes active and is pushed; returns whether a resize is pending. */
  push(pod: Pod): boolean;
  retry(): Promise<void>;
  settled<T>(promise: Promise<T>): Promise<T>;
}

const limitMs = 600_000;

/** A case of the allocation manager's suite. */
export function allocationCase(
  name: string,
  run: (session: AllocationSession) => Promise<void>,
  capability?: AllocationCapability,
): SuiteCase<AllocationManagerSubject> {
  return {
    name,
    ...(capability && { capability }),
    async run({ create, advance }) {
      const active = new Map<string, Pod>();
      const handlers: PodAdmitHandler[] = [];
      const synced: string[] = [];
      const createOne = () =>
        create({
          activePods: () => [...active.values()],
          nodeAllocatable: () => ({ cpu: '1', memory: '1Gi' }),
          syncPod: (uid) => void synced.push(uid),
          // The manager may read its handlers once, so a single handler calls those that a case added later.
          admitHandlers: [0, 1, 2].map((index) => ({
            admit: async (...asked) => (await handlers[index]?.admit(...asked)) ?? { admit: true },
          })),
        });
      const manager = createOne();
      const wait = <T>(promise: Promise<T>) => settled(advance, 'the call settles', promise, limitMs);
      await run({
        manager,
        create: createOne,
        advance,
        active,
        handlers,
        synced,
        add(pod) {
          active.set(pod.metadata?.uid ?? '', pod);
          return wait(manager.addPod(pod));
        },
        push(pod) {
          active.set(pod.metadata?.uid ?? '', pod);
          return manager.pushPendingResize(pod);
        },
        retry: () => wait(manager.retryPendingResizes('pod_updated')),
        settled: wait,
      });
    },
  };
}

/** A pod that requests this much CPU; a later generation has a newer spec. */
export function sizedPod(name: string, cpu: string, generation = 1): Pod {
  const resources = { requests: { cpu, memory: '64Mi' } };
  return suitePod(name, { metadata: { generation }, spec: { containers: [{ name: 'main', image: 'main:1', resources }] } });
}

/** The CPU that a pod requests. */
export function cpuOf(pod: Pod): string | undefined {
  return pod.spec?.containers[0]?.resources?.requests?.cpu;
}
