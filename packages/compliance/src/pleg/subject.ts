import type { PodLifecycleEventGenerator, PodRuntimeStatus, Runtime, RuntimeContainerState, WritablePodCache } from '@nodeagent/api';
import type { SuiteCase } from '../suite/suite.js';
import { runtimeContainer, runtimePod, runtimeStatus } from '../support/runtime-objects.js';
import { type Advance, settled } from '../support/waiting.js';

/** The runtime methods that a generator uses. */
export type PlegRuntime = Pick<Runtime, 'getPods' | 'getPod' | 'getPodStatus'>;

/** A pod lifecycle event generator under test. */
export interface PlegSubject {
  /** Creates a generator for this runtime, not started, and the empty cache that it writes to. */
  create(runtime: PlegRuntime): { pleg: PodLifecycleEventGenerator; cache: WritablePodCache };
  advance: Advance;
}

/** States of a pod's containers and sandboxes by id. */
interface PodStates {
  containers: Record<string, RuntimeContainerState>;
  sandboxes: Record<string, RuntimeContainerState>;
  ips: string[];
}

/** The argument of a case. */
export interface PlegSession {
  pleg: PodLifecycleEventGenerator;
  cache: WritablePodCache;
  advance: Advance;
  /** Sets the runtime's containers of a pod; none without states. */
  set(uid: string, containers?: PodStates['containers'], more?: Partial<PodStates>): void;
  /** Runs in each call of the runtime: delays or rejects it. */
  behaviour: Partial<Record<keyof PlegRuntime, () => Promise<void>>>;
  /** Calls of the runtime so far: `getPods`, `getPodStatus web`. */
  calls: string[];
  relist(): Promise<void>;
  /** Takes all events, as `<pod> <type> <container>`. */
  events(): string[];
  /** The cached status of a pod: `main=running`, which the suite's runtime puts into the status's name. */
  cached(uid: string): string;
}

/** A case of the generator's suite. */
export function plegCase(name: string, run: (session: PlegSession) => Promise<void>): SuiteCase<PlegSubject> {
  return {
    name,
    async run({ create, advance }) {
      const session = openSession(create, advance);
      try {
        await run(session);
      } finally {
        session.behaviour = {};
        await settled(advance, 'stop resolves', session.pleg.stop());
      }
    },
  };
}

function openSession(create: PlegSubject['create'], advance: Advance): PlegSession {
  const pods = new Map<string, PodStates>();
  const calls: string[] = [];
  const podOf = (uid: string, { containers, sandboxes }: PodStates) => ({
    ...runtimePod(uid, containers),
    sandboxes: Object.entries(sandboxes).map(([id, state]) => runtimeContainer(id, state)),
  });
  const { pleg, cache } = create({
    async getPods() {
      calls.push('getPods');
      await session.behaviour.getPods?.();
      return [...pods].map(([uid, states]) => podOf(uid, states));
    },
    async getPod(uid) {
      calls.push(`getPod ${uid}`);
      await session.behaviour.getPod?.();
      const states = pods.get(uid);
      return states && podOf(uid, states);
    },
    async getPodStatus({ uid, containers, sandboxes }): Promise<PodRuntimeStatus> {
      calls.push(`getPodStatus ${uid}`);
      await session.behaviour.getPodStatus?.();
      return runtimeStatus(uid, {
        name: [...containers, ...sandboxes].map(({ id, state }) => `${id}=${state}`).join(' '),
        ips: pods.get(uid)?.ips ?? [],
      });
    },
  });
  const session: PlegSession = {
    pleg,
    cache,
    advance,
    calls,
    behaviour: {},
    set(uid, containers, more) {
      if (containers) pods.set(uid, { containers, sandboxes: {}, ips: [], ...more });
      else pods.delete(uid);
    },
    relist: () => settled(advance, 'the relist ends', pleg.relist()),
    events() {
      const events: string[] = [];
      for (let next = pleg.events.poll(); next; next = pleg.events.poll()) {
        events.push([next.podUid, next.type, next.containerId].filter(Boolean).join(' '));
      }
      return events;
    },
    cached: (uid) => cache.get(uid).name,
  };
  return session;
}
