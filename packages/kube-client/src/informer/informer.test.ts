import { errorCode, type ObjectChange, type Pod } from '@nodeagent/api';
import { createRecordingLogger, createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createKubeClient, type KubeClientOptions } from '../client.js';
import { unreachable } from '../errors.js';
import {
  bookmark,
  noResponse,
  type OpenBody,
  openBody,
  podList,
  podObject,
  type RecordedRequest,
  type ScriptedResponse,
  scriptedTransport,
  statusBody,
  watchLine,
} from '../fixtures/scripted-transport.js';
import type { InformerEvent, KubeInformer } from './contracts.js';

interface Script {
  list?: (request: RecordedRequest, count: number) => ScriptedResponse | Promise<ScriptedResponse>;
  watch?: (request: RecordedRequest, count: number) => ScriptedResponse | Promise<ScriptedResponse> | undefined;
}

/** A client with scripted lists and watches, an informer of pods, and its reported events. */
function setUp({ list, watch }: Script = {}, options: Partial<KubeClientOptions> = {}) {
  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  const watches: OpenBody[] = [];
  const times: { at: number; request: RecordedRequest }[] = [];
  const counts = { list: 0, watch: 0 };
  const transport = scriptedTransport((request) => {
    times.push({ at: clock.monotonic(), request });
    if (request.query.watch !== 'true') return list?.(request, counts.list++) ?? { body: podList(10, [podObject('a', 5)]) };
    const answer = watch?.(request, counts.watch++);
    if (answer !== undefined) return answer;
    const body = openBody(request.signal);
    watches.push(body);
    return { body };
  });
  const client = createKubeClient({
    cluster: { server: 'http://test' },
    transport,
    clock,
    logger,
    random: seededRandom(1),
    ...options,
  });
  const changes: string[] = [];
  const events: InformerEvent[] = [];
  const follow = (informer: KubeInformer<Pod>) => {
    informer.onChange((change) => changes.push(show(change)));
    informer.onEvent((event) => events.push(event));
    return informer;
  };
  const informer = follow(client.pods.informer());
  return { clock, logger, client, transport, watches, times, changes, events, informer, follow };
}

const show = (change: ObjectChange<Pod> | undefined) => {
  if (change === undefined) return 'synced';
  const text = (pod: Pod | undefined) => (pod === undefined ? '' : `${pod.metadata?.name}@${pod.metadata?.resourceVersion}`);
  return `${text(change.old)}->${text(change.object)}`;
};

const lists = (times: { request: RecordedRequest }[]) =>
  times.filter(({ request }) => request.query.watch !== 'true').map(({ request }) => request.query);
const watchesOf = (times: { request: RecordedRequest }[]) =>
  times.filter(({ request }) => request.query.watch === 'true').map(({ request }) => request.query);

describe('an informer', () => {
  it('keeps the managed fields of objects, or leaves them out', async () => {
    const managed = (name: string, version: number): Pod => {
      const pod = podObject(name, version);
      return { ...pod, metadata: { ...pod.metadata, managedFields: [{ manager: 'kubectl' }] } as Pod['metadata'] };
    };
    for (const keepManagedFields of [true, false]) {
      const { clock, informer, watches } = setUp({ list: () => ({ body: podList(10, [managed('a', 5)]) }) }, { keepManagedFields });
      const deleted: (Pod | undefined)[] = [];
      informer.onChange((change) => deleted.push(change?.object ? undefined : change?.old));
      await informer.start();
      await clock.settle();
      watches[0]?.write(watchLine('ADDED', managed('b', 11)));
      watches[0]?.write(watchLine('ADDED', managed('c', 12)));
      watches[0]?.write(watchLine('DELETED', managed('c', 13)));
      await clock.settle();
      const seen = [...informer.list(), deleted.at(-1)].map((pod) => [pod?.metadata?.name, 'managedFields' in (pod?.metadata ?? {})]);
      expect(seen).toEqual(['a', 'b', 'c'].map((name) => [name, keepManagedFields]));
      await informer.stop();
    }
  });

  it('lists from the cache, then watches from there with bookmarks', async () => {
    const { clock, informer, changes, events, watches, times } = setUp();
    expect(informer.hasSynced).toBe(false);
    await informer.start();
    await clock.settle();
    expect(lists(times)).toEqual([{ resourceVersion: '0', limit: '500' }]);
    const [watch] = watchesOf(times);
    expect(watch).toMatchObject({ watch: 'true', allowWatchBookmarks: 'true', resourceVersion: '10' });
    expect(Number(watch?.timeoutSeconds)).toBeGreaterThanOrEqual(300);
    expect(Number(watch?.timeoutSeconds)).toBeLessThanOrEqual(600);
    expect(informer.get({ namespace: 'default', name: 'a' })?.kind).toBe('Pod');

    watches[0]?.write(watchLine('ADDED', podObject('b', 11)) + watchLine('MODIFIED', podObject('a', 12)));
    watches[0]?.write(watchLine('DELETED', podObject('b', 13)));
    await clock.settle();
    expect(changes).toEqual(['->a@5', 'synced', '->b@11', 'a@5->a@12', 'b@13->']);
    expect(events.map(({ type }) => type)).toEqual(['relisted', 'connected']);
    expect(informer.list().map(({ metadata }) => metadata?.name)).toEqual(['a']);
    await informer.stop();
    expect(clock.pending).toBe(0);
  });

  it('is synced by an empty list too', async () => {
    const { clock, informer, changes } = setUp({ list: () => ({ body: podList(1, []) }) });
    await informer.start();
    await clock.settle();
    expect(changes).toEqual(['synced']);
    expect(informer.hasSynced).toBe(true);
    await informer.stop();
  });

  it('resumes the watch from the last bookmark, without a list, when the server ends the watch', async () => {
    const { clock, informer, watches, times, events } = setUp();
    await informer.start();
    await clock.settle();
    const seconds = Number(watchesOf(times)[0]?.timeoutSeconds);
    for (let minute = 1; minute * 60 < seconds; minute++) {
      await clock.advance(60_000);
      watches[0]?.write(bookmark(100 + minute));
    }
    await clock.advance((seconds % 60) * 1000);
    watches[0]?.end();
    await clock.settle();
    expect(watchesOf(times).map(({ resourceVersion }) => resourceVersion)).toEqual(['10', String(100 + Math.ceil(seconds / 60) - 1)]);
    expect(lists(times)).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(['relisted', 'connected', 'connected']);
    await informer.stop();
  });

  it('detects a silent connection within the idle limit and emits stale', async () => {
    const { clock, informer, watches, times, events } = setUp();
    await informer.start();
    await clock.advance(100_000);
    watches[0]?.write(bookmark(20));
    await clock.advance(149_000);
    expect(informer.isCurrent).toBe(true);
    await clock.advance(1_000);
    expect(events.at(-1)).toMatchObject({ type: 'stale', since: Date.UTC(2026, 0, 1) + 100_000, error: { code: 'ApiUnreachable' } });
    await clock.advance(1_000);
    expect(watchesOf(times).at(-1)?.resourceVersion).toBe('20');
    expect(informer.isCurrent).toBe(true);
    await informer.stop();
  });

  it('resumes from the last complete event when the connection is lost within a line', async () => {
    const { clock, informer, watches, times, changes } = setUp();
    await informer.start();
    await clock.advance(5_000);
    watches[0]?.write(watchLine('ADDED', podObject('b', 11)));
    watches[0]?.write(watchLine('ADDED', podObject('c', 12)).slice(0, 40));
    await clock.settle();
    watches[0]?.cut();
    await clock.advance(1_000);
    expect(watchesOf(times).at(-1)?.resourceVersion).toBe('11');
    expect(changes).toEqual(['->a@5', 'synced', '->b@11']);
    await informer.stop();
  });

  it.each([
    ['an ERROR event', (): ScriptedResponse => ({ body: watchLine('ERROR', statusBody(410, 'Expired', 'too old resource version')) })],
    ['the response', (): ScriptedResponse => ({ status: 410, body: statusBody(410, 'Gone') })],
  ])('lists again when %s reports an expired version, and emits only differences', async (_where, expired) => {
    const second = podList(50, [podObject('a', 5), podObject('b', 40), podObject('c', 41, 'another')]);
    const { clock, informer, times, changes, events } = setUp({
      list: (_request, count) => ({ body: count === 0 ? podList(10, [podObject('a', 5), podObject('c', 6), podObject('d', 7)]) : second }),
      watch: (_request, count) => (count === 0 ? expired() : undefined),
    });
    await informer.start();
    await clock.advance(2_000);
    expect(lists(times).map(({ resourceVersion }) => resourceVersion)).toEqual(['0', '10']);
    expect(changes.slice(4)).toEqual(['d@7->', '->b@40', 'c@6->', '->c@41']);
    expect(events.filter(({ type }) => type === 'relisted').at(-1)).toMatchObject({ objects: 3, added: 2, updated: 0, deleted: 2 });
    expect(informer.isCurrent).toBe(true);
    await informer.stop();
  });

  it('lists the newest version when the version of the list has expired too', async () => {
    const { clock, informer, times } = setUp({
      list: ({ query }) => (query.resourceVersion === '10' ? { status: 410, body: statusBody(410, 'Expired') } : { body: podList(10, []) }),
      watch: (_request, count) => (count === 0 ? { status: 410, body: statusBody(410, 'Expired') } : undefined),
    });
    await informer.start();
    await clock.advance(2_000);
    expect(lists(times).map(({ resourceVersion }) => resourceVersion)).toEqual(['0', '10', '']);
    await informer.stop();
  });

  it('lists the newest when the server is older than the copy, as after a restored backup', async () => {
    const tooNew = {
      ...statusBody(504, 'Timeout', 'Too large resource version: 10, current: 3'),
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
    };
    const { clock, informer, times } = setUp({ watch: (_request, count) => (count === 0 ? { status: 504, body: tooNew } : undefined) });
    await informer.start();
    await clock.advance(2_000);
    expect(lists(times).map(({ resourceVersion }) => resourceVersion)).toEqual(['0', '']);
    await informer.stop();
  });

  it('lists again after an invalid line', async () => {
    const { clock, informer, times, watches, events } = setUp();
    await informer.start();
    await clock.advance(5_000);
    watches[0]?.write('<html>\n');
    await clock.advance(2_000);
    expect(events.map(({ type }) => type)).toEqual(['relisted', 'connected', 'stale', 'relisted', 'connected']);
    expect(lists(times)).toHaveLength(2);
    await informer.stop();
  });

  it('ignores objects without a name, and logs them', async () => {
    const broken = { metadata: { resourceVersion: '11' } };
    const { clock, informer, changes, watches, logger } = setUp({ list: () => ({ body: podList(10, [broken, podObject('a', 5)]) }) });
    await informer.start();
    await clock.settle();
    watches[0]?.write(watchLine('ADDED', broken) + watchLine('ADDED', podObject('b', 12)));
    await clock.settle();
    expect(changes).toEqual(['->a@5', 'synced', '->b@12']);
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
    await informer.stop();
  });

  it('backs off from 0.8 s to a minute while the server is unreachable, keeps its cache, and resumes the watch', async () => {
    let away = false;
    const down = () => {
      throw unreachable('test', 'connect', 'connect ECONNREFUSED');
    };
    const { clock, informer, times, watches, changes, events } = setUp({
      list: () => (away ? down() : { body: podList(10, [podObject('a', 5)]) }),
      watch: () => (away ? down() : undefined),
    });
    await informer.start();
    await clock.advance(300_000 - 1);
    watches.at(-1)?.write(bookmark(30));
    await clock.settle();
    const before = times.length;
    away = true;
    watches.at(-1)?.cut();
    await clock.advance(3_600_000);
    const attempts = times.slice(before).map(({ at }) => at);
    const gaps = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    expect(gaps[0]).toBeGreaterThanOrEqual(800);
    expect(gaps[0]).toBeLessThanOrEqual(1_600);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(60_000);
    expect(attempts.length).toBeLessThan(130);
    expect(events.filter(({ type }) => type === 'stale')).toHaveLength(2);
    expect(informer.list()).toHaveLength(1);
    away = false;
    await clock.advance(60_000);
    expect(informer.isCurrent).toBe(true);
    expect(lists(times)).toHaveLength(1);
    expect(watchesOf(times).at(-1)?.resourceVersion).toBe('30');
    expect(changes).toEqual(['->a@5', 'synced']);
    await informer.stop();
  });

  it('waits for the Retry-After of a busy server', async () => {
    const { clock, informer, times } = setUp({
      watch: (_request, count) =>
        count === 0 ? { status: 429, headers: { 'retry-after': '20' }, body: statusBody(429, 'TooManyRequests') } : undefined,
    });
    await informer.start();
    await clock.advance(19_000);
    expect(watchesOf(times)).toHaveLength(1);
    await clock.advance(7_000);
    expect(watchesOf(times)).toHaveLength(2);
    expect(lists(times)).toHaveLength(1);
    await informer.stop();
  });

  it('waits for the Retry-After of a failed list, also if that is longer than a request waits', async () => {
    const { clock, informer, times } = setUp({
      list: (_request, count) =>
        count === 0
          ? { status: 503, headers: { 'retry-after': '200' }, body: statusBody(503, 'ServiceUnavailable') }
          : { body: podList(10, [podObject('a', 5)]) },
    });
    void informer.start();
    await clock.advance(199_999);
    expect(lists(times)).toHaveLength(1);
    await clock.advance(50_001);
    expect(lists(times)).toHaveLength(2);
    expect(informer.isCurrent).toBe(true);
    await informer.stop();
  });

  it('aborts a watch that does not start in time', async () => {
    const { clock, informer, times, events } = setUp({ watch: (_request, count) => (count === 0 ? noResponse : undefined) });
    await informer.start();
    await clock.advance(60_000);
    expect(events.at(-1)?.type).toBe('stale');
    await clock.advance(2_000);
    expect(watchesOf(times)).toHaveLength(2);
    await informer.stop();
  });

  it('treats a watch that ends at once as a failure', async () => {
    const { clock, informer, times } = setUp({ watch: (_request, count) => (count < 6 ? { body: '' } : undefined) });
    await informer.start();
    await clock.advance(10_000);
    expect(watchesOf(times).length).toBeLessThan(6);
    await informer.stop();
  });

  it('stops at once in a list, in a watch and in a back-off', async () => {
    for (const script of [
      { list: () => noResponse },
      { watch: () => noResponse },
      {},
      { watch: (): ScriptedResponse => ({ status: 503, body: statusBody(503, 'ServiceUnavailable') }) },
    ] satisfies Script[]) {
      const { clock, informer } = setUp(script);
      await informer.start();
      await clock.settle();
      await informer.stop();
      expect(clock.pending).toBe(0);
    }
  });

  it('stops when its signal aborts, and reports only differences after another start', async () => {
    const { clock, informer, changes, times } = setUp({
      list: (_request, count) => ({
        body: count === 0 ? podList(10, [podObject('a', 5)]) : podList(20, [podObject('a', 5), podObject('b', 15)]),
      }),
    });
    const controller = new AbortController();
    await informer.start(controller.signal);
    await clock.settle();
    controller.abort();
    await informer.start();
    await clock.settle();
    expect(lists(times).map(({ resourceVersion }) => resourceVersion)).toEqual(['0', '10']);
    expect(changes).toEqual(['->a@5', 'synced', '->b@15']);
    await informer.stop();
  });

  it('continues after an error of a listener', async () => {
    const { clock, informer, changes, logger } = setUp();
    informer.onChange(() => {
      throw new Error('oh');
    });
    await informer.start();
    await clock.settle();
    expect(changes).toEqual(['->a@5', 'synced']);
    expect(logger.lines.map(({ fields }) => fields)).toContainEqual({ err: new Error('oh') });
    await informer.stop();
  });
});

describe('shared informers', () => {
  it('share one watch for a selection, report all objects to each user, and stop with the last user', async () => {
    const { clock, client, follow, changes, times } = setUp();
    const first = client.pods.sharedInformer({ fieldSelector: 'spec.nodeName=n1' });
    const second = follow(client.pods.sharedInformer({ fieldSelector: 'spec.nodeName=n1' }));
    await first.start();
    await clock.settle();
    expect(first.hasSynced).toBe(true);
    expect(second.hasSynced).toBe(false);
    expect(second.list()).toEqual([]);
    await second.start();
    await second.start();
    await clock.settle();
    expect(changes).toEqual(['->a@5', 'synced']);
    expect(watchesOf(times)).toHaveLength(1);
    await first.stop();
    expect(clock.pending).toBeGreaterThan(0);
    expect(second.isCurrent).toBe(true);
    await second.stop();
    await second.stop();
    expect(clock.pending).toBe(0);
  });

  it('are not shared by different selections', async () => {
    const { clock, client, times } = setUp();
    const informers = ['a', 'b'].map((namespace) => client.pods.sharedInformer({ namespace }));
    for (const informer of informers) await informer.start();
    await clock.settle();
    expect(watchesOf(times)).toHaveLength(2);
    for (const informer of informers) await informer.stop();
  });
});

describe('many informers', () => {
  it('reconnect after an outage spread over time and below the rate limit', async () => {
    let away = false;
    const { clock, client, times, watches } = setUp(
      {
        list: () => ({ body: podList(10, []) }),
        watch: () => {
          if (away) throw unreachable('test', 'connect', 'connect ECONNREFUSED');
          return undefined;
        },
      },
      { qps: 50, burst: 100 },
    );
    const informers = Array.from({ length: 300 }, (_, index) => client.pods.informer({ namespace: `n${index}` }));
    for (const informer of informers) await informer.start();
    await clock.advance(20_000);
    expect(informers.every(({ isCurrent }) => isCurrent)).toBe(true);
    away = true;
    for (const watch of watches) watch.cut();
    await clock.advance(600_000);
    away = false;
    const back = clock.monotonic();
    const before = times.length;
    await clock.advance(60_000);
    expect(informers.every(({ isCurrent }) => isCurrent)).toBe(true);
    const returned = times.slice(before);
    expect(returned).toHaveLength(300);
    const busiest = Math.max(
      ...Array.from({ length: 60 }, (_, second) => returned.filter(({ at }) => Math.floor((at - back) / 1000) === second).length),
    );
    expect(busiest).toBeLessThan(60);
    for (const informer of informers) await informer.stop();
    expect(clock.pending).toBe(0);
  });
});

it('rejects selections with an invalid namespace', () => {
  const { client } = setUp();
  try {
    client.pods.informer({ namespace: '../nodes' });
    expect.unreachable();
  } catch (error) {
    expect(errorCode(error)).toBe('InvalidName');
  }
});
