import { apiStatusError, type ObjectChange, type Pod } from '@nodeagent/api';
import { defineSuite, type Fixture, type StatusSinkSubject, statusSinkSuite } from '@nodeagent/compliance';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createApiStatusSink } from './sink/api-status-sink.js';
import { applyStatusPatch } from './sink/apply-status-patch.js';
import type { StatusPatch } from './sink/patch-values.js';

/** An API server in memory, whose informer sees each change at once. */
function apiSubject(): Fixture<StatusSinkSubject> {
  const clock = createVirtualClock();
  const pods = new Map<string, Pod>();
  const listeners = new Set<(change: ObjectChange<Pod> | undefined) => void>();
  let isReachable = true;
  const get = (name: string) => pods.get(name) ?? Promise.reject(apiStatusError({ code: 404, reason: 'NotFound', message: name }));
  const put = (object: Pod) => {
    const name = object.metadata?.name ?? '';
    const old = pods.get(name);
    pods.set(name, object);
    for (const listener of listeners) listener({ ...(old && { old }), object });
    return object;
  };
  const answer = async (signal: AbortSignal | undefined) => {
    await clock.sleep(2, signal);
    if (!isReachable) throw new Error('connect ECONNREFUSED');
  };
  const podByUid = (uid: string) => [...pods.values()].find(({ metadata }) => metadata?.uid === uid);
  const sink = createApiStatusSink({
    clock,
    random: seededRandom(1),
    lookup: { podByUid, translatePodUid: (uid) => uid },
    couldHaveRunningContainers: () => true,
    informer: {
      get: ({ name }) => pods.get(name),
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    pods: {
      async get({ name }, options) {
        await answer(options?.signal);
        return get(name);
      },
      async patch({ name }, patch, options) {
        await answer(options?.signal);
        const pod = await get(name);
        return put({ ...pod, status: applyStatusPatch(pod.status ?? {}, (patch as { status: StatusPatch }).status) });
      },
      async delete({ name }, options) {
        await answer(options?.signal);
        await get(name);
        pods.delete(name);
      },
    },
  });
  return {
    subject: {
      sink,
      addPod: put,
      carried: (uid) => podByUid(uid)?.status,
      setReachable: (next) => {
        isReachable = next;
      },
      now: clock.now,
      advance: clock.advance,
    },
    cleanup: sink.stop,
  };
}

describe('the sink to the API server keeps the promises of a', () => {
  defineSuite({ describe, it }, statusSinkSuite, apiSubject);
});
