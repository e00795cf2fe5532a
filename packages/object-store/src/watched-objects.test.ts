import { errorCode, errorMessage, isApiReason, type NodeAgentError, type Secret } from '@nodeagent/api';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createFakeSource } from './test-support/fake-source.js';
import { podWith, secret } from './test-support/pods.js';
import { createWatchedObjects } from './watched-objects.js';

const minute = 60_000;

async function setUp({ start = true, ...options }: { start?: boolean; idleTimeoutMs?: number } = {}) {
  const clock = createVirtualClock();
  const source = createFakeSource<Secret>();
  const logger = createRecordingLogger();
  const secrets = createWatchedObjects({ kind: 'Secret', source, clock, logger, ...options });
  if (start) await secrets.start();
  const failure = async (name: string, signal?: AbortSignal) => {
    let error: unknown;
    await clock.run(
      secrets.get('prod', name, signal).then(
        () => {},
        (reason) => {
          error = reason;
        },
      ),
    );
    return error;
  };
  return { clock, source, secrets, failure, logger };
}

describe('watched objects', () => {
  it('follows an object that a pod refers to', async () => {
    const { source, secrets } = await setUp();
    source.put(secret('db', 1));
    secrets.registerPod(podWith('u1', 'db'));
    expect(source.selections).toEqual([{ namespace: 'prod', fieldSelector: 'metadata.name=db' }]);
    expect(await secrets.get('prod', 'db')).toEqual(secret('db', 1));
    source.put(secret('db', 2));
    expect(await secrets.get('prod', 'db')).toEqual(secret('db', 2));
  });

  it('reports NotFound for a deleted object and follows the re-created one', async () => {
    const { source, secrets, failure } = await setUp();
    source.put(secret('db', 1));
    secrets.registerPod(podWith('u1', 'db'));
    await secrets.get('prod', 'db');
    source.remove('prod', 'db');
    const error = await failure('db');
    expect([isApiReason(error, 'NotFound'), errorMessage(error)]).toEqual([true, 'secret "db" not found']);
    source.put(secret('db', 9));
    expect(await secrets.get('prod', 'db')).toEqual(secret('db', 9));
    expect(source.started).toBe(1);
  });

  it('rejects objects that no pod refers to', async () => {
    const { source, failure } = await setUp();
    source.put(secret('other', 1));
    const error = await failure('other');
    expect([errorCode(error), errorMessage(error)]).toEqual(['ObjectNotRegistered', 'object "prod"/"other" not registered']);
    expect(source.started).toBe(0);
  });

  it('waits a second for an unreachable API server, and returns the object once it is reachable', async () => {
    const { clock, source, secrets, failure } = await setUp();
    source.isAway = true;
    source.put(secret('db', 1));
    secrets.registerPod(podWith('u1', 'db'));
    const before = clock.monotonic();
    const error = await failure('db');
    expect(clock.monotonic() - before).toBe(1000);
    expect(errorMessage(error)).toBe('failed to sync secret cache: timed out waiting for the condition');
    expect([errorCode(error), (error as NodeAgentError).retryable]).toEqual(['ObjectNotSynced', true]);

    const read = secrets.get('prod', 'db');
    await clock.advance(500);
    source.isAway = false;
    source.answer();
    expect(await read).toEqual(secret('db', 1));
    expect(clock.monotonic() - before).toBe(1500);
  });

  it('reports a missing object after the first list', async () => {
    const { clock, secrets, failure } = await setUp();
    secrets.registerPod(podWith('u1', 'none'));
    expect(isApiReason(await failure('none'), 'NotFound')).toBe(true);
    expect(clock.monotonic()).toBe(0);
  });

  it("stops waiting when the reader's signal aborts", async () => {
    const { clock, source, secrets, failure } = await setUp();
    source.isAway = true;
    secrets.registerPod(podWith('u1', 'db'));
    const timers = clock.pending;
    const controller = new AbortController();
    const read = secrets.get('prod', 'db', controller.signal).catch(errorMessage);
    await clock.advance(10);
    controller.abort(new Error('enough'));
    expect(await read).toBe('enough');
    expect(errorMessage(await failure('db', controller.signal))).toBe('enough');
    expect(clock.pending).toBe(timers);
  });

  it('has one watch for thousands of pods and stops it with the last of them', async () => {
    const { clock, source, secrets, failure } = await setUp();
    source.put(secret('shared', 1));
    const pods = Array.from({ length: 5000 }, (_, i) => podWith(`u${i}`, 'shared'));
    for (const pod of pods) secrets.registerPod(pod);
    await Promise.all(pods.map(() => secrets.get('prod', 'shared')));
    expect([source.started, source.running, clock.pending]).toEqual([1, 1, 1]);
    for (const pod of pods.slice(1)) secrets.unregisterPod(pod);
    for (const pod of pods.slice(1)) secrets.unregisterPod(pod);
    expect(await secrets.get('prod', 'shared')).toEqual(secret('shared', 1));
    secrets.unregisterPod(podWith('u0', 'shared'));
    expect([source.running, clock.pending]).toEqual([0, 0]);
    expect(errorCode(await failure('shared'))).toBe('ObjectNotRegistered');
  });

  it('watches the new references of a changed pod, without a gap for the unchanged ones', async () => {
    const { source, secrets } = await setUp();
    secrets.registerPod(podWith('u1', 'a', 'b'));
    secrets.registerPod(podWith('u1', 'b', 'c'));
    secrets.registerPod(podWith('u1', 'b', 'c'));
    expect([source.started, source.running]).toEqual([3, 2]);
    secrets.unregisterPod(podWith('u1'));
    expect(source.running).toBe(0);
  });

  it('keeps pods of the same name apart', async () => {
    const { source, secrets } = await setUp();
    const [first, second] = [podWith('u1', 'db'), podWith('u2', 'db')];
    const again = { ...second, metadata: { ...second.metadata, name: first.metadata?.name ?? '' } };
    secrets.registerPod(first);
    secrets.registerPod(again);
    secrets.unregisterPod(first);
    expect(source.running).toBe(1);
    secrets.unregisterPod(again);
    expect(source.running).toBe(0);
  });

  it('stops the watch of an immutable object after the first read, and keeps the object', async () => {
    const { clock, source, secrets } = await setUp();
    source.put(secret('ca', 1, { immutable: true }));
    secrets.registerPod(podWith('u1', 'ca'));
    const reads = await Promise.all([secrets.get('prod', 'ca'), secrets.get('prod', 'ca')]);
    expect(reads).toEqual([secret('ca', 1, { immutable: true }), secret('ca', 1, { immutable: true })]);
    expect([source.running, clock.pending]).toEqual([0, 0]);
    source.isAway = true;
    source.remove('prod', 'ca');
    expect(await secrets.get('prod', 'ca')).toEqual(reads[0]);
    expect(source.started).toBe(1);
    secrets.unregisterPod(podWith('u1', 'ca'));
    source.isAway = false;
    secrets.registerPod(podWith('u2', 'ca'));
    expect(source.started).toBe(2);
  });

  it('detects that an object became immutable', async () => {
    const { source, secrets } = await setUp();
    source.put(secret('ca', 1));
    secrets.registerPod(podWith('u1', 'ca'));
    await secrets.get('prod', 'ca');
    source.put(secret('ca', 2, { immutable: true }));
    expect(source.running).toBe(1);
    await secrets.get('prod', 'ca');
    expect(source.running).toBe(0);
  });

  it('stops the watch of an object that is not read for five minutes and restarts it with the next read', async () => {
    const { clock, source, secrets } = await setUp();
    source.put(secret('db', 1));
    secrets.registerPod(podWith('u1', 'db'));
    await clock.advance(4 * minute);
    await secrets.get('prod', 'db');
    await clock.advance(5 * minute - 1);
    expect(source.running).toBe(1);
    await clock.advance(1);
    expect([source.running, clock.pending]).toEqual([0, 0]);
    secrets.registerPod(podWith('u1', 'db'));
    expect(source.running).toBe(0);
    source.put(secret('db', 2));
    expect(await secrets.get('prod', 'db')).toEqual(secret('db', 2));
    expect([source.started, source.running]).toEqual([2, 1]);
  });

  it('does not stop a watch before its first list', async () => {
    const { clock, source, secrets } = await setUp({ idleTimeoutMs: 10_000 });
    source.isAway = true;
    secrets.registerPod(podWith('u1', 'db'));
    await clock.advance(60 * minute);
    expect([source.started, source.running]).toEqual([1, 1]);
    source.isAway = false;
    source.answer();
    await clock.advance(10_000);
    expect(source.running).toBe(0);
  });

  it('has no watches before its start and after its stop', async () => {
    const { clock, source, secrets, failure } = await setUp({ start: false });
    source.put(secret('db', 1));
    secrets.registerPod(podWith('u1', 'db'));
    expect(errorCode(await failure('db'))).toBe('ObjectNotSynced');
    expect([source.started, clock.pending]).toEqual([0, 0]);
    await secrets.start();
    await secrets.start();
    expect(await secrets.get('prod', 'db')).toEqual(secret('db', 1));
    source.holdStops = true;
    let isStopped = false;
    const stopped = secrets.stop().then(() => {
      isStopped = true;
    });
    await clock.settle();
    expect([source.running, clock.pending, isStopped]).toEqual([0, 0, false]);
    source.releaseStops();
    await stopped;
    expect(errorCode(await failure('db'))).toBe('ObjectNotSynced');
    await secrets.stop();
    await secrets.start();
    expect(await secrets.get('prod', 'db')).toEqual(secret('db', 1));
  });

  it('stops when its signal aborts', async () => {
    const { clock, source, secrets } = await setUp({ start: false });
    const controller = new AbortController();
    await secrets.start(controller.signal);
    secrets.registerPod(podWith('u1', 'a', 'b'));
    expect(source.running).toBe(2);
    controller.abort();
    expect([source.running, clock.pending]).toEqual([0, 0]);
    await secrets.start(controller.signal);
    expect(source.running).toBe(0);
  });

  it('logs a watch that fails to start', async () => {
    const { clock, source, secrets, logger, failure } = await setUp();
    const informer = source.informer.bind(source);
    source.informer = (selection) => Object.assign(informer(selection), { start: () => Promise.reject(new Error('no socket')) });
    secrets.registerPod(podWith('u1', 'db'));
    await clock.settle();
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { name: 'db', err: new Error('no socket') } }]);
    expect(errorCode(await failure('db'))).toBe('ObjectNotSynced');
  });

  it('escapes names in field selectors', async () => {
    const { source, secrets } = await setUp();
    secrets.registerPod(podWith('u1', 'a,metadata.name=b\\'));
    expect(source.selections[0]?.fieldSelector).toBe('metadata.name=a\\,metadata.name\\=b\\\\');
  });

  it.each([
    [{ kind: 'Pod' }, 'kind'],
    [{ source: {} }, 'source'],
    [{ idleTimeoutMs: 0 }, 'idleTimeoutMs'],
  ])('refuses %j', (options, field) => {
    const right = { kind: 'Secret' as const, source: createFakeSource<Secret>() };
    expect(() => createWatchedObjects({ ...right, ...(options as object) })).toThrow(
      expect.objectContaining({ code: 'InvalidOption', details: { field } }),
    );
  });
});
