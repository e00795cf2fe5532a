import {
  apiStatusError,
  errorCode,
  errorMessage,
  type GetOptions,
  isApiReason,
  NodeAgentError,
  type ObjectKey,
  type Secret,
} from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { type CachedObjectsOptions, createCachedObjects, ttlOfNode } from './cached-objects.js';
import { createFetchedObjects } from './fetched-objects.js';
import { podWith, secret } from './test-support/pods.js';

const notFound = () => apiStatusError({ code: 404, reason: 'NotFound', message: 'secrets "db" not found' });
const away = () => new NodeAgentError('ApiUnreachable', 'away', { retryable: true });

function setUp(options: Partial<CachedObjectsOptions<'Secret'>> = {}) {
  const clock = createVirtualClock();
  const api = {
    calls: [] as (string | undefined)[],
    answer: (): Secret | Promise<Secret> => secret('db', 1),
    async get(_: ObjectKey, { resourceVersion }: GetOptions = {}) {
      api.calls.push(resourceVersion);
      return api.answer();
    },
  };
  const fail = (make: () => unknown) => {
    api.answer = () => {
      throw make();
    };
  };
  const secrets = createCachedObjects({ kind: 'Secret', objects: api, clock, ...options });
  const version = async () => (await secrets.get('prod', 'db')).metadata?.resourceVersion;
  const failure = () =>
    secrets.get('prod', 'db').then(
      () => undefined,
      (error: unknown) => error,
    );
  return { clock, api, fail, secrets, version, failure };
}

describe('cached objects', () => {
  it("requests an object again after the TTL, and then accepts the API server's cache", async () => {
    const { clock, api, secrets, version } = setUp();
    secrets.registerPod(podWith('u1', 'db'));
    expect(api.calls).toEqual([]);
    await version();
    await clock.advance(59_999);
    await version();
    expect(api.calls).toEqual([undefined]);
    await clock.advance(1);
    api.answer = () => secret('db', 2);
    expect(await version()).toBe('2');
    expect(api.calls).toEqual([undefined, '0']);
  });

  it("uses the TTL of the Node's annotation", async () => {
    const node = { metadata: { annotations: { 'node.alpha.kubernetes.io/ttl': '300' } } };
    const { clock, api, secrets, version } = setUp({ getNode: () => node });
    secrets.registerPod(podWith('u1', 'db'));
    await version();
    await clock.advance(299_999);
    await version();
    expect(api.calls).toHaveLength(1);
    node.metadata.annotations['node.alpha.kubernetes.io/ttl'] = '0';
    await version();
    expect(api.calls).toHaveLength(2);
    expect([
      ttlOfNode(undefined),
      ttlOfNode({}),
      ttlOfNode({ metadata: { annotations: { 'node.alpha.kubernetes.io/ttl': '1m' } } }),
    ]).toEqual([undefined, undefined, undefined]);
  });

  it('requests an object again after a pod was registered', async () => {
    const { api, secrets, version } = setUp();
    secrets.registerPod(podWith('u1', 'db'));
    await version();
    secrets.registerPod(podWith('u2', 'db'));
    await version();
    expect(api.calls).toEqual([undefined, undefined]);
  });

  it('shares a call among concurrent readers, one of which may abort', async () => {
    const { api, secrets } = setUp();
    let answer: (value: Secret) => void = () => {};
    api.answer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    secrets.registerPod(podWith('u1', 'db'));
    const controller = new AbortController();
    const reads = Array.from({ length: 100 }, () => secrets.get('prod', 'db'));
    const impatient = secrets.get('prod', 'db', controller.signal).catch(errorMessage);
    controller.abort(new Error('enough'));
    expect(await impatient).toBe('enough');
    expect(await secrets.get('prod', 'db', controller.signal).catch(errorMessage)).toBe('enough');
    answer(secret('db', 1));
    expect(new Set(await Promise.all(reads)).size).toBe(1);
    expect(api.calls).toHaveLength(1);
  });

  it('keeps the object while the API server is unreachable', async () => {
    const { clock, fail, api, secrets, version, failure } = setUp();
    secrets.registerPod(podWith('u1', 'db'));
    fail(away);
    expect(errorCode(await failure())).toBe('ApiUnreachable');
    api.answer = () => secret('db', 1);
    await version();
    fail(away);
    await clock.advance(3_600_000);
    expect(await version()).toBe('1');
    expect(await version()).toBe('1');
    expect(api.calls).toHaveLength(4);
  });

  it('drops a deleted object, requests it each time, and reports NotFound while the API server is unreachable', async () => {
    const { clock, fail, api, secrets, version, failure } = setUp();
    secrets.registerPod(podWith('u1', 'db'));
    await version();
    await clock.advance(60_000);
    fail(notFound);
    expect(isApiReason(await failure(), 'NotFound')).toBe(true);
    fail(away);
    expect(isApiReason(await failure(), 'NotFound')).toBe(true);
    api.answer = () => secret('db', 8);
    expect(await version()).toBe('8');
    expect(api.calls).toEqual([undefined, '0', undefined, undefined]);
  });

  it('never returns an older version', async () => {
    const { clock, api, secrets, version } = setUp();
    api.answer = () => secret('db', 10);
    secrets.registerPod(podWith('u1', 'db'));
    await version();
    await clock.advance(60_000);
    api.answer = () => secret('db', 9);
    expect(await version()).toBe('10');
    api.answer = () => secret('db', 11);
    expect(await version()).toBe('11');
  });

  it('drops objects that no pod refers to', async () => {
    const { secrets, version, failure } = setUp();
    secrets.registerPod(podWith('u1', 'db'));
    await version();
    secrets.unregisterPod(podWith('u1'));
    expect(errorCode(await failure())).toBe('ObjectNotRegistered');
  });

  it.each([
    [{ kind: 'Pod' }, 'kind'],
    [{ objects: {} }, 'objects'],
    [{ ttlMs: -1 }, 'ttlMs'],
  ])('refuses %j', (options, field) => {
    expect(() => setUp(options as never)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});

describe('fetched objects', () => {
  it('sends a request for every read, independent of registered pods', async () => {
    const calls: unknown[] = [];
    const objects = {
      async get(key: ObjectKey, options?: GetOptions) {
        calls.push([key, options]);
        return secret('db', calls.length);
      },
    };
    const secrets = createFetchedObjects<'Secret'>({ objects });
    const { signal } = new AbortController();
    await secrets.get('prod', 'db');
    expect(await secrets.get('prod', 'db', signal)).toEqual(secret('db', 2));
    expect(calls).toEqual([
      [{ namespace: 'prod', name: 'db' }, undefined],
      [{ namespace: 'prod', name: 'db' }, { signal }],
    ]);
  });
});
