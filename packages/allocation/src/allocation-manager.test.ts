import type { AllocationManager, Pod, PodAdmitAttributes, PodAdmitHandler } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { createRecordingLogger, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createAllocationManager } from './allocation-manager.js';
import type { AllocationStore } from './allocation-store.js';
import type { AllocationManagerOptions } from './options.js';
import type { Allocations } from './pod-allocation.js';
import { cpu, podWith, resized } from './test-pods.js';

function setUp(overrides: Partial<AllocationManagerOptions> = {}) {
  const clock = createVirtualClock({ start: Date.UTC(2026, 0, 1) });
  const recorder = createRecordingRecorder();
  const logger = createRecordingLogger();
  const active = new Map<string, Pod>();
  const synced: string[] = [];
  const counted: string[] = [];
  const count = (name: string) => (value: unknown, labels: unknown) => void counted.push(`${name} ${JSON.stringify(labels ?? value)}`);
  const manager = createAllocationManager({
    activePods: () => [...active.values()],
    nodeAllocatable: () => ({ cpu: '1', memory: '1Gi' }),
    syncPod: (uid) => synced.push([...active.values()].find((pod) => podUid(pod) === uid)?.metadata?.name ?? uid),
    clock,
    recorder,
    logger,
    metrics: {
      counter: ({ name }) => ({ inc: (labels) => count(name)(1, labels) }),
      gauge: () => ({ set() {} }),
      histogram: () => ({ observe() {} }),
    },
    ...overrides,
  });
  const put = (pod: Pod) => active.set(pod.metadata?.name ?? '', pod);
  return {
    clock,
    recorder,
    logger,
    manager,
    active,
    synced,
    counted,
    put,
    add: (pod: Pod) => {
      put(pod);
      return manager.addPod(pod);
    },
    async update(pod: Pod) {
      put(pod);
      const pushed = manager.pushPendingResize(pod);
      await manager.retryPendingResizes('pod_updated');
      return pushed;
    },
    granted: (name: string) => {
      const pod = active.get(name);
      return pod && manager.updatePodFromAllocation(pod).spec?.containers[0]?.resources?.requests?.cpu;
    },
    condition: (pod: Pod) => manager.resizeConditions(podUid(pod))[0],
  };
}

const web = podWith('web', '200m');
const db = podWith('db', '500m');

function memoryStore(allocations?: Allocations): AllocationStore & { saves: Allocations[] } {
  const saves: Allocations[] = [];
  return { saves, load: async () => saves.at(-1) ?? allocations, save: async (next) => void saves.push(next) };
}

const saved = async (manager: AllocationManager) => manager.saved?.();

/** A store whose saves hang until {@link during} ends them. */
function slowStore() {
  let end: () => void = () => {};
  const store = {
    count: 0,
    saving: undefined as Allocations | undefined,
    saved: undefined as Allocations | undefined,
    load: async () => store.saved,
    save(next: Allocations) {
      store.saving = next;
      store.count += 1;
      return new Promise<void>((resolve) => {
        end = () => {
          store.saved = next;
          resolve();
        };
      });
    },
    /** Ends saves until the work is done. */
    async during<T>(work: Promise<T>): Promise<T> {
      let isDone = false;
      void work.finally(() => {
        isDone = true;
      });
      while (!isDone) {
        end();
        await new Promise(setImmediate);
      }
      return work;
    },
  };
  return store;
}

describe('admission', () => {
  it('calls the handlers in order with the allocated resources of the other pods, and returns the first refusal', async () => {
    const asked: PodAdmitAttributes[] = [];
    const note: PodAdmitHandler = { admit: (attributes) => ({ admit: asked.push(attributes) > 0 }) as { admit: true } };
    const refuse: PodAdmitHandler = {
      admit: async ({ pod }) => (pod.metadata?.name === 'db' ? { admit: false, reason: 'Full', message: 'no room' } : { admit: true }),
    };
    const { add, update, manager, recorder } = setUp({ admitHandlers: [note, refuse, note] });
    expect(await add(web)).toEqual({ admit: true });
    await update(resized(web, cpu('5')));
    expect(asked.map(({ operation }) => operation)).toEqual(['add', 'add']);
    expect(await add(db)).toEqual({ admit: false, reason: 'Full', message: 'no room' });
    expect(asked).toHaveLength(3);
    expect(asked[2]?.otherPods.map((pod) => pod.spec?.containers[0]?.resources)).toEqual([cpu('200m')]);
    expect(manager.updatePodFromAllocation(resized(db, cpu('1')))).toEqual(resized(db, cpu('1')));
    expect(recorder.events.map(({ reason }) => reason)).toEqual(['ResizeInfeasible']);
  });

  it('does not count a pod that was deleted before its admission, and counts one that was deleted afterwards', async () => {
    const others: string[][] = [];
    const note: PodAdmitHandler = {
      admit: ({ otherPods }) => ({ admit: others.push(otherPods.map(({ metadata }) => metadata?.name ?? '')) > 0 }) as { admit: true },
    };
    const { add, put } = setUp({ admitHandlers: [note] });
    const deleted = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    await add(web);
    put(deleted(web));
    put(deleted(podWith('never-admitted', '900m')));
    await add(db);
    expect(others).toEqual([[], ['web']]);
  });

  it('refuses a pod if a handler fails', async () => {
    const admitHandlers = [{ admit: () => Promise.reject(new Error('no devices')) }];
    expect(await setUp({ admitHandlers }).add(web)).toEqual({
      admit: false,
      reason: 'UnexpectedAdmissionError',
      message: 'Allocate failed due to no devices, which is unexpected',
    });
  });

  it('admits one pod at a time', async () => {
    const order: string[] = [];
    const slow: PodAdmitHandler = {
      admit: async ({ pod }) => {
        order.push(`${pod.metadata?.name} begins`);
        for (let turn = 0; turn < 5; turn++) await Promise.resolve();
        order.push(`${pod.metadata?.name} ends`);
        return { admit: true };
      },
    };
    const { add } = setUp({ admitHandlers: [slow] });
    await Promise.all([add(web), add(db)]);
    expect(order).toEqual(['web begins', 'web ends', 'db begins', 'db ends']);
  });

  it('aborts the signal of a handler when the manager stops', async () => {
    let aborted = false;
    const never: PodAdmitHandler = {
      admit: (_attributes, signal) => new Promise(() => signal?.addEventListener('abort', () => (aborted = true))),
    };
    const { add, manager } = setUp({ admitHandlers: [never] });
    const adding = expect(add(web)).rejects.toThrow('abort');
    await new Promise(setImmediate);
    await manager.stop();
    await adding;
    expect(aborted).toBe(true);
    await expect(add(db)).rejects.toThrow('abort');
  });
});

describe('a resize', () => {
  it('is allocated when it fits, and the pod then has the allocated resources', async () => {
    const started: Pod[] = [];
    const { add, update, granted, recorder, synced, condition } = setUp({ resizeStarted: (pod) => started.push(pod) });
    await add(web);
    const wanted = resized(web, cpu('300m'));
    expect(await update(web)).toBe(false);
    expect(await update(wanted)).toBe(true);
    expect(granted('web')).toBe('300m');
    expect(started).toEqual([wanted]);
    expect(synced).toEqual(['web']);
    expect(condition(web)).toBeUndefined();
    expect(recorder.lines).toEqual([
      'Normal ResizeStarted Pod resize started: {"containers":[{"name":"c","resources":{"requests":{"cpu":"300m","memory":"64Mi"}}}],"generation":2}',
    ]);
    expect(await update({ ...wanted, spec: resized(web, cpu('0.3')).spec as Pod['spec'] & object })).toBe(false);
  });

  it('is deferred without free resources, with one event, and allocated when another pod is removed', async () => {
    const { add, update, active, manager, granted, recorder, synced, condition, counted, clock } = setUp();
    await manager.start();
    await add(web);
    await add(db);
    const wanted = resized(web, cpu('600m'));
    await update(wanted);
    const message = "Node didn't have enough resource: cpu, requested: 600, used: 500, capacity: 1000";
    const at = '2026-01-01T00:00:00Z';
    expect(condition(web)).toEqual({
      type: 'PodResizePending',
      status: 'True',
      observedGeneration: 2,
      lastProbeTime: at,
      lastTransitionTime: at,
      reason: 'Deferred',
      message,
    });
    expect(manager.pendingResizes()).toEqual([{ podUid: podUid(web), reason: 'Deferred', message }]);
    expect(granted('web')).toBe('200m');
    await clock.advance(200_000);
    expect(synced).toEqual(['web']);
    expect(recorder.lines).toEqual([
      expect.stringMatching(/^Warning ResizeDeferred Pod resize Deferred: \{.*"generation":2,"error":"Node didn't/),
    ]);

    active.delete('db');
    await manager.retryPendingResizes('pods_removed');
    expect(granted('web')).toBe('600m');
    expect([synced, condition(web), manager.pendingResizes()]).toEqual([['web', 'web'], undefined, []]);
    expect(counted).toEqual(['kubelet_pod_deferred_accepted_resizes_total {"retry_trigger":"pods_removed"}']);
    await manager.stop();
    expect(clock.pending).toBe(0);
  });

  it('is retried every three minutes while it is deferred, without timers otherwise', async () => {
    const { add, update, active, manager, granted, clock } = setUp();
    await manager.start();
    expect(clock.pending).toBe(0);
    await add(web);
    await add(db);
    await update(resized(web, cpu('600m')));
    active.delete('db');
    await clock.advance(179_999);
    expect(granted('web')).toBe('200m');
    await clock.advance(1);
    expect(granted('web')).toBe('600m');
    expect(clock.pending).toBe(0);
  });

  it('is undecided until it is allocated or its condition has the generation of the pod', async () => {
    let ready = false;
    const { manager, add, update } = setUp({ allSourcesReady: () => ready });
    const generation = (pod: Pod, value: number): Pod => ({ ...pod, metadata: { ...pod.metadata, generation: value } });
    await add(generation(web, 1));
    expect(manager.isResizeUndecided(generation(web, 2))).toBe(false);
    const larger = generation(resized(web, cpu('300m')), 2);
    await update(larger);
    expect(manager.isResizeUndecided(larger)).toBe(true);
    ready = true;
    await manager.retryPendingResizes('periodic_retry');
    expect(manager.isResizeUndecided(larger)).toBe(false);

    const beyond = generation(resized(web, cpu('2')), 3);
    expect(manager.isResizeUndecided(beyond)).toBe(true);
    await update(beyond);
    expect(manager.isResizeUndecided(beyond)).toBe(false);
    expect(manager.isResizeUndecided(generation(beyond, 4))).toBe(true);
  });

  it('waits until every pod source is ready, and checks them again after 30 s', async () => {
    let ready = false;
    const { add, update, manager, granted, clock } = setUp({ allSourcesReady: () => ready });
    await manager.start();
    await add(web);
    await update(resized(web, cpu('300m')));
    await clock.advance(29_999);
    expect(granted('web')).toBe('200m');
    ready = true;
    await clock.advance(1);
    expect(granted('web')).toBe('300m');
  });

  it('that is infeasible is reported once and not retried until the spec changes', async () => {
    const { add, update, manager, granted, condition, recorder, counted, clock } = setUp();
    await manager.start();
    await add(web);
    await update(resized(web, cpu('5')));
    expect(condition(web)).toMatchObject({
      reason: 'Infeasible',
      message: "Node didn't have enough capacity: cpu, requested: 5000, capacity: 1000",
    });
    expect([granted('web'), clock.pending]).toEqual(['200m', 0]);
    await update({ ...resized(web, cpu('5')), metadata: { ...resized(web, cpu('5')).metadata, labels: { a: 'b' } } });
    expect(recorder.events.map(({ reason }) => reason)).toEqual(['ResizeInfeasible']);
    expect(counted).toEqual(['kubelet_pod_infeasible_resizes_total {"reason_detail":"insufficient_node_allocatable"}']);
    await update(resized(resized(web, cpu('5')), cpu('400m')));
    expect([granted('web'), condition(web)]).toEqual(['400m', undefined]);
  });

  it('that is reverted has no condition', async () => {
    const { add, update, condition, synced, recorder } = setUp();
    await add(web);
    await update(resized(web, cpu('5')));
    expect(await update(resized(resized(web, cpu('5')), cpu('200m')))).toBe(true);
    expect([condition(web), synced, recorder.events.length]).toEqual([undefined, ['web', 'web'], 1]);
  });

  it('that shrinks is allocated before one that grows', async () => {
    const { add, put, manager, granted } = setUp();
    await add(web);
    await add(db);
    for (const pod of [resized(web, cpu('700m')), resized(db, cpu('300m'))]) {
      put(pod);
      manager.pushPendingResize(pod);
    }
    await manager.retryPendingResizes('pod_updated');
    expect([granted('web'), granted('db')]).toEqual(['700m', '300m']);
  });

  it('does not get resources that a shrinking pod still uses', async () => {
    const actuated = new Map([['db', db]]);
    const { add, update, manager, granted, condition } = setUp({ actuatedPod: (pod) => actuated.get(pod.metadata?.name ?? '') ?? pod });
    await add(web);
    await add(db);
    await update(resized(db, cpu('300m')));
    await update(resized(web, cpu('700m')));
    expect(condition(web)).toMatchObject({ reason: 'Deferred', message: expect.stringContaining('used: 500') });
    actuated.clear();
    await manager.retryPendingResizes('pod_resized');
    expect(granted('web')).toBe('700m');
  });

  it('can be refused by admit handlers, finally only as Infeasible', async () => {
    let answer = { admit: false as const, reason: 'OutOfpods', message: 'full' };
    const admitHandlers: PodAdmitHandler[] = [{ admit: ({ operation }) => (operation === 'add' ? { admit: true } : answer) }];
    const { add, update, condition, manager } = setUp({ admitHandlers });
    await add(web);
    await update(resized(web, cpu('300m')));
    expect(condition(web)).toMatchObject({ reason: 'Deferred', message: 'full' });
    expect(manager.pendingResizes()).toHaveLength(1);
    answer = { admit: false, reason: 'Infeasible', message: 'never' };
    await manager.retryPendingResizes('periodic_retry');
    expect(condition(web)).toMatchObject({ reason: 'Infeasible', message: 'never' });
    expect(manager.pendingResizes()).toEqual([]);
  });

  it('that arrives during the decision on the previous one is not lost', async () => {
    let release: () => void = () => {};
    const admitHandlers: PodAdmitHandler[] = [
      {
        admit: ({ operation }) =>
          operation === 'add' ? { admit: true } : new Promise((resolve) => (release = () => resolve({ admit: true }))),
      },
    ];
    const { add, update, granted } = setUp({ admitHandlers });
    await add(web);
    const first = update(resized(web, cpu('300m')));
    await new Promise(setImmediate);
    const second = update(resized(web, cpu('400m')));
    release();
    await first;
    await new Promise(setImmediate);
    release();
    await second;
    expect(granted('web')).toBe('400m');
  });
});

describe('a resize of a pod that is removed', () => {
  it('during the decision, or while another one is decided, is dropped', async () => {
    let isSlow = false;
    let release = () => {};
    const admit: PodAdmitHandler['admit'] = () =>
      isSlow ? new Promise((resolve) => (release = () => resolve({ admit: true }))) : { admit: true };
    const store = memoryStore();
    const { add, active, put, manager, synced, recorder } = setUp({ admitHandlers: [{ admit }], store });
    await add(web);
    await add(db);
    isSlow = true;
    for (const pod of [resized(web, cpu('300m')), resized(db, cpu('600m'))]) {
      put(pod);
      manager.pushPendingResize(pod);
    }
    const retried = manager.retryPendingResizes('pod_updated');
    await new Promise(setImmediate);
    for (const pod of [web, db]) {
      active.delete(pod.metadata?.name ?? '');
      manager.removePod(podUid(pod));
    }
    release();
    await retried;
    await manager.stop();
    expect([synced, recorder.lines, store.saves.at(-1)]).toEqual([[], [], {}]);
  });

  it('while its allocation is saved is not started', async () => {
    const store = slowStore();
    const { add, update, manager, synced, recorder } = setUp({ store });
    await add(web);
    await store.during(saved(manager));
    const updated = update(resized(web, cpu('300m')));
    await new Promise(setImmediate);
    manager.removePod(podUid(web));
    await store.during(updated);
    expect([synced, recorder.lines, store.saved]).toEqual([[], [], {}]);
  });

  it('is not decided', async () => {
    const conditions: unknown[] = [];
    const { add, active, put, manager, synced, recorder, condition } = setUp();
    await add(web);
    await add(podWith('db', '700m'));
    const wanted = resized(web, cpu('900m'));
    put(wanted);
    manager.pushPendingResize(wanted);
    active.delete('web');
    manager.removePod(podUid(web));
    await manager.retryPendingResizes('pods_removed');
    conditions.push(condition(wanted));
    expect([synced, recorder.lines, conditions]).toEqual([[], [], [undefined]]);
  });
});

describe('an allocation', () => {
  it('is saved after a pod is admitted, and kept after a restart even if the spec has changed', async () => {
    const store = memoryStore();
    const first = setUp({ store });
    await first.add(web);
    await first.manager.saved?.();
    expect(store.saves).toHaveLength(1);
    const second = setUp({ store });
    const wanted = resized(web, cpu('900m'));
    expect(await second.add(wanted)).toEqual({ admit: true });
    expect(second.granted('web')).toBe('200m');
    expect(store.saves).toHaveLength(1);
    await second.update(wanted);
    expect(second.granted('web')).toBe('900m');
    expect(store.saves).toHaveLength(2);
  });

  it('that is granted to a resize applies once it is saved, however long the save takes', async () => {
    const store = slowStore();
    const { add, update, granted, synced, recorder, manager } = setUp({ store });
    await add(web);
    await store.during(saved(manager));
    const wanted = resized(web, cpu('300m'));
    const updated = update(wanted);
    await new Promise(setImmediate);
    expect(store.saving?.[podUid(web)]?.containers).toEqual({ c: cpu('300m') });
    expect([granted('web'), manager.isResizeUndecided(wanted), synced, recorder.lines]).toEqual(['200m', true, [], []]);
    await store.during(updated);
    expect([granted('web'), manager.isResizeUndecided(wanted), synced]).toEqual(['300m', false, ['web']]);
    expect(recorder.lines).toHaveLength(1);
  });

  it('of a new pod applies at once, also to a later spec', async () => {
    const store = slowStore();
    const { add, granted, manager } = setUp({ store });
    await add(web);
    const wanted = resized(web, cpu('900m'));
    expect([store.saved, manager.updatePodFromAllocation(wanted).spec, granted('web')]).toEqual([undefined, web.spec, '200m']);
    await store.during(saved(manager));
    expect(Object.keys(store.saved ?? {})).toEqual([podUid(web)]);
  });

  it('of several new pods is saved once more while the first save runs', async () => {
    const store = slowStore();
    const { add, manager } = setUp({ store });
    for (const pod of [web, db, podWith('other', '100m')]) await add(pod);
    expect(Object.keys(store.saving ?? {})).toEqual([podUid(web)]);
    await store.during(saved(manager));
    expect([store.count, Object.keys(store.saved ?? {}).length]).toEqual([2, 3]);
  });

  it('is saved before `saved` resolves, and is not restored if its pod is removed meanwhile', async () => {
    const store = slowStore();
    const { add, manager, granted } = setUp({ store });
    await add(web);
    let isSaved = false;
    const whenSaved = saved(manager).then(() => {
      isSaved = true;
    });
    await new Promise(setImmediate);
    expect(isSaved).toBe(false);
    manager.removePod(podUid(web));
    await store.during(whenSaved);
    expect(store.saved).toEqual({});
    expect([granted('web'), manager.pushPendingResize(resized(web, cpu('300m')))]).toEqual(['200m', false]);
  });

  it('that was granted and not saved before a kill is in force in neither agent', async () => {
    const store = slowStore();
    const killed = setUp({ store });
    await killed.add(web);
    await store.during(saved(killed.manager));
    const wanted = resized(web, cpu('900m'));
    void killed.update(wanted);
    await new Promise(setImmediate);
    expect(killed.granted('web')).toBe('200m');
    const next = setUp({ store: memoryStore(store.saved) });
    expect(await next.add(wanted)).toEqual({ admit: true });
    expect(await next.add(db)).toEqual({ admit: true });
    await next.update(wanted);
    expect([next.granted('web'), next.granted('db'), next.condition(wanted)?.reason]).toEqual(['200m', '500m', 'Deferred']);
  });

  it('that a resize waits for stays pending after a restart, as the previous manager reported', async () => {
    const store = memoryStore();
    const first = setUp({ store });
    await first.add(web);
    await first.add(podWith('db', '700m'));
    const wanted = resized(web, cpu('500m'));
    await first.update(wanted);
    const reported = first.condition(wanted);
    expect(reported).toMatchObject({ reason: 'Deferred', observedGeneration: 2 });

    const second = setUp({ store });
    const restarted = { ...wanted, status: { conditions: reported ? [reported] : [] } };
    await second.add(restarted);
    expect(second.condition(restarted)).toEqual(reported);
    expect(second.manager.isResizeUndecided(restarted)).toBe(false);
    await second.update(restarted);
    expect(second.condition(restarted)).toBeUndefined();
    expect(second.counted).toContainEqual(expect.stringContaining('deferred_accepted'));
  });

  it('is removed with the pod', async () => {
    const store = memoryStore();
    const { add, update, manager, granted, condition } = setUp({ store });
    await add(web);
    await add(db);
    await update(resized(web, cpu('5')));
    manager.removeOrphanedPods(new Set([podUid(db)]));
    manager.removePod('unknown');
    expect([granted('web'), condition(web)]).toEqual(['5', undefined]);
    manager.removePod(podUid(db));
    await manager.stop();
    expect(store.saves.at(-1)).toEqual({});
  });

  it('that cannot be read or saved is logged, and the pods run with the resources of their specs', async () => {
    const store: AllocationStore = {
      load: () => Promise.reject(new Error('broken')),
      save: () => Promise.reject(new Error('disk full')),
    };
    const { add, granted, logger } = setUp({ store });
    expect(await add(web)).toEqual({ admit: true });
    expect(granted('web')).toBe('200m');
    expect(logger.texts('error')).toEqual([
      'cannot read the stored allocations, using the pod specs: broken',
      'cannot save the allocations: disk full',
    ]);
  });

  it('that cannot be saved is saved again with a back-off, and once more when the manager stops', async () => {
    const store = memoryStore();
    const { save } = store;
    let isFull = true;
    let tries = 0;
    store.save = async (next) => {
      tries++;
      if (isFull) throw new Error('disk full');
      await save(next);
    };
    const { add, clock, manager } = setUp({ store });
    await add(web);
    await clock.advance(499);
    expect(tries).toBe(1);
    await clock.advance(1_001);
    expect(tries).toBe(3);
    isFull = false;
    await clock.advance(2_000);
    expect([tries, Object.keys(store.saves.at(-1) ?? {})]).toEqual([4, [podUid(web)]]);
    expect(clock.pending).toBe(0);

    isFull = true;
    await add(db);
    isFull = false;
    await manager.stop();
    expect(Object.keys(store.saves.at(-1) ?? {})).toEqual([podUid(web), podUid(db)]);
    expect(clock.pending).toBe(0);
  });

  it('includes init containers and pod-level resources', async () => {
    const { add, manager } = setUp();
    const both = (amount: string): Pod => ({
      ...web,
      spec: { initContainers: [{ name: 'i', resources: cpu(amount) }], containers: [{ name: 'c' }], resources: cpu(amount) },
    });
    await add(both('100m'));
    expect(manager.updatePodFromAllocation(both('300m'))).toEqual({
      ...both('100m'),
      spec: { ...both('100m').spec, containers: [{ name: 'c' }] },
    });
    const { resources: _, ...without } = both('100m').spec ?? { containers: [] };
    expect(manager.updatePodFromAllocation({ ...web, spec: without }).spec?.resources).toEqual(cpu('100m'));
  });
});

it.each([
  [{ activePods: 1 }, 'activePods'],
  [{ nodeAllocatable: {} }, 'nodeAllocatable'],
  [{ syncPod: undefined }, 'syncPod'],
  [{ retryPeriodMs: 0 }, 'retryPeriodMs'],
])('refuses %j', (wrong, field) => {
  const options = { activePods: () => [], nodeAllocatable: () => ({}), syncPod: () => {}, ...wrong } as AllocationManagerOptions;
  expect(() => createAllocationManager(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
});
