import { apiStatusError, type Node, type Pod } from '@nodeagent/api';
import { buildPod, createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { buildMirrorPod, mirrorPodActions } from './mirror-pod.js';
import { createMirrorPods } from './mirror-pods.js';

const node: Node = { metadata: { name: 'n1', uid: 'node-uid' } };
const staticPod = (hash = 'h1') =>
  buildPod({
    name: 'web-n1',
    uid: hash,
    annotations: { 'kubernetes.io/config.hash': hash, 'kubernetes.io/config.source': 'file' },
    status: { phase: 'Pending' },
  });
const mirrorOf = (pod: Pod, metadata: Pod['metadata'] = {}): Pod => {
  const mirror = buildMirrorPod(pod, node);
  return { ...mirror, metadata: { ...mirror.metadata, uid: 'mirror-uid', ...metadata } };
};
const refused = (code: number, reason: string) => apiStatusError({ code, reason, message: reason });

describe('mirrorPodActions', () => {
  it.each([
    ['there is none', undefined, { delete: false, create: true }],
    ['it is as it should be', mirrorOf(staticPod()), { delete: false, create: false }],
    ['it is of another version', mirrorOf(staticPod('h0')), { delete: true, create: true }],
    ['it is being deleted', mirrorOf(staticPod(), { deletionTimestamp: '2026-01-01T00:00:00Z' }), { delete: true, create: true }],
  ])('when %s', (_, mirror, actions) => {
    expect(mirrorPodActions(staticPod(), mirror)).toEqual(actions);
  });
});

describe('buildMirrorPod', () => {
  it('is a copy with the hash that belongs to the node', () => {
    const pod = staticPod();
    expect(buildMirrorPod(pod, node)).toEqual({
      ...pod,
      metadata: {
        ...pod.metadata,
        annotations: {
          'kubernetes.io/config.hash': 'h1',
          'kubernetes.io/config.source': 'file',
          'kubernetes.io/config.mirror': 'h1',
        },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'node-uid', controller: true }],
      },
    });
  });

  it('needs the UID of the node', () => {
    expect(() => buildMirrorPod(staticPod(), { metadata: { name: 'n1' } })).toThrow('UID unset for node n1');
  });
});

function setUp(options: { node?: Node; signal?: AbortSignal } = { node }) {
  const clock = createVirtualClock();
  const calls: string[] = [];
  const failures: unknown[] = [];
  let existing = mirrorOf(staticPod());
  const logger = createRecordingLogger();
  const answer = (call: string) => {
    calls.push(call);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  };
  const mirrors = createMirrorPods({
    clock,
    logger,
    node: () => options.node,
    ...(options.signal && { signal: options.signal }),
    pods: {
      async create(pod) {
        answer(`create ${pod.metadata?.annotations?.['kubernetes.io/config.mirror']}`);
        return pod;
      },
      async delete({ namespace, name }, { gracePeriodSeconds, preconditions } = {}) {
        answer(`delete ${namespace}/${name} ${gracePeriodSeconds} ${preconditions?.uid}`);
      },
      async get({ name }) {
        answer(`get ${name}`);
        return existing;
      },
    },
  });
  return { clock, calls, failures, mirrors, logger, setExisting: (pod: Pod) => (existing = pod) };
}

describe('reconcile', () => {
  it('creates a missing mirror pod, keeps a matching one, and replaces an outdated one', async () => {
    const { mirrors, calls } = setUp();
    await mirrors.reconcile(staticPod(), undefined);
    await mirrors.reconcile(staticPod(), mirrorOf(staticPod()));
    await mirrors.reconcile(staticPod('h2'), mirrorOf(staticPod()));
    expect(calls).toEqual(['create h1', 'delete default/web-n1 0 mirror-uid', 'create h2']);
  });

  it.each([refused(404, 'NotFound'), refused(409, 'Conflict')])(
    'creates a new one if the old one is already deleted: %s',
    async (error) => {
      const { mirrors, calls, failures } = setUp();
      failures.push(error);
      await mirrors.reconcile(staticPod(), mirrorOf(staticPod(), { deletionTimestamp: '2026-01-01T00:00:00Z' }));
      expect(calls).toEqual(['delete default/web-n1 0 mirror-uid', 'create h1']);
    },
  );

  it.each([undefined, { metadata: { ...node.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }])(
    'creates none if the node is missing or being deleted: %j',
    async (absent) => {
      const { mirrors, calls } = setUp(absent ? { node: absent } : {});
      await mirrors.reconcile(staticPod(), undefined);
      expect(calls).toEqual([]);
    },
  );

  it('accepts a mirror pod with the same hash that another client created', async () => {
    const { mirrors, calls, failures, logger, setExisting } = setUp();
    failures.push(refused(409, 'AlreadyExists'));
    await mirrors.reconcile(staticPod(), undefined);
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    setExisting(mirrorOf(staticPod('other')));
    failures.push(refused(409, 'AlreadyExists'));
    await mirrors.reconcile(staticPod(), undefined);
    expect(calls).toEqual(['create h1', 'get web-n1', 'create h1', 'get web-n1']);
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('backs off while the API server fails: 60 attempts in an hour of syncs each second', async () => {
    const { mirrors, calls, failures, clock } = setUp();
    failures.push(...Array.from({ length: 100 }, () => new Error('connect ECONNREFUSED')));
    for (let second = 0; second < 3_600; second++) {
      await mirrors.reconcile(staticPod(), undefined);
      await clock.advance(1_000);
    }
    expect(calls.length).toBeGreaterThan(55);
    expect(calls.length).toBeLessThan(70);
    failures.length = 0;
    await clock.advance(60_000);
    await mirrors.reconcile(staticPod(), undefined);
    await mirrors.reconcile(staticPod(), undefined);
    expect(calls.slice(-2)).toEqual(['create h1', 'create h1']);
  });

  it('makes one change of a pod at a time, and none after the end', async () => {
    const controller = new AbortController();
    const { mirrors, calls } = setUp({ node, signal: controller.signal });
    await Promise.all([mirrors.reconcile(staticPod(), undefined), mirrors.reconcile(staticPod(), undefined)]);
    controller.abort();
    await mirrors.reconcile(staticPod(), undefined);
    expect(calls).toEqual(['create h1']);
  });
});

describe('deleteOrphan', () => {
  it('deletes whatever has the name, and minds no failure', async () => {
    const { mirrors, calls, failures } = setUp();
    failures.push(new Error('down'));
    await mirrors.deleteOrphan(mirrorOf(staticPod()));
    await mirrors.deleteOrphan(mirrorOf(staticPod()));
    expect(calls).toEqual(['delete default/web-n1 0 undefined']);
  });

  it('backs off while the informer still has the mirror, but deletes the next one at once', async () => {
    const { mirrors, calls, clock } = setUp();
    const mirror = mirrorOf(staticPod());
    for (let round = 0; round < 300; round++) {
      await mirrors.deleteOrphan(mirror);
      await clock.advance(2_000);
    }
    expect(calls.length).toBeGreaterThan(9);
    expect(calls.length).toBeLessThan(18);
    const before = calls.length;
    await mirrors.deleteOrphan({ ...mirror, metadata: { ...mirror.metadata, uid: 'next' } });
    expect(calls).toHaveLength(before + 1);
  });
});
