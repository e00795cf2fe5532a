import { describe, expect, it } from 'vitest';
import { pod, pods, setUp } from '../test-api-server.fixture.js';

describe('watches', () => {
  it('report changes of a selection as additions and deletions', async () => {
    const { call, patch, watch, clock } = setUp();
    await call('POST', pods, pod('old', {}, { labels: { app: 'a' } }));
    const seen = await watch(`${pods}?watch=true&labelSelector=app%3Da`);
    await call('POST', pods, pod('other', {}, { labels: { app: 'b' } }));
    await patch(`${pods}/other`, { metadata: { labels: { app: 'a' } } });
    await patch(`${pods}/other`, { metadata: { annotations: { x: 'y' } } });
    await patch(`${pods}/other`, { metadata: { labels: { app: 'c' } } });
    await call('DELETE', `${pods}/old`);
    await call('DELETE', `${pods}/other`);
    await clock.settle();
    expect(seen.seen()).toEqual(['ADDED old', 'ADDED other', 'MODIFIED other', 'DELETED other', 'DELETED old']);
    seen.abort();
    expect(await seen.ended).toBe('ended');
  });

  it('have a second path, which old clients use', async () => {
    const { call, watch, clock } = setUp();
    const all = await watch('/api/v1/watch/pods?labelSelector=app%3Da');
    const one = await watch('/api/v1/watch/namespaces/default/pods/old?resourceVersion=0');
    await call('POST', pods, pod('old', {}, { labels: { app: 'a' } }));
    await call('POST', pods, pod('new', {}, { labels: { app: 'a' } }));
    await call('DELETE', `${pods}/old`);
    await clock.settle();
    expect([all.seen(), one.seen()]).toEqual([
      ['ADDED old', 'ADDED new', 'DELETED old'],
      ['ADDED old', 'DELETED old'],
    ]);
    expect((await call('POST', '/api/v1/watch/pods', pod('a'))).status).toBe(404);
  });

  it('report a grace period of 0 before the deletion of a pod', async () => {
    const { call, watch, clock } = setUp();
    await call('POST', pods, pod('runs', { nodeName: 'n1' }));
    const seen = await watch(`${pods}?watch=true`);
    await call('DELETE', `${pods}/runs`, { gracePeriodSeconds: 0 });
    await clock.settle();
    expect(seen.seen()).toEqual(['ADDED runs', 'MODIFIED runs', 'DELETED runs']);
    expect(seen.events[1]?.object.metadata).toMatchObject({ deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 });
  });

  it('resume from a version, or report that it is too old', async () => {
    const { call, watch, clock, server } = setUp();
    await call('POST', pods, pod('a'));
    const from = server.revision;
    await call('POST', pods, pod('b'));
    const seen = await watch(`${pods}?watch=true&resourceVersion=${from}`);
    await clock.settle();
    expect(seen.seen()).toEqual(['ADDED b']);
    server.forgetHistory();
    const late = await watch(`${pods}?watch=true&resourceVersion=${from}`);
    await clock.settle();
    expect(late.events).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }]);
    expect(await late.ended).toBe('ended');
  });

  it('report that a version is too old once the history has dropped it by itself', async () => {
    const { call, watch, clock, server } = setUp({ historyLimit: 5 });
    await call('POST', pods, pod('first'));
    const from = server.revision;
    const since = async (version: number) => {
      const seen = await watch(`${pods}?watch=true&resourceVersion=${version}`);
      await clock.settle();
      seen.abort();
      return seen.events.map(({ type, object }) => `${type} ${object.code ?? object.metadata.name}`);
    };
    for (let at = 1; at <= 10; at++) await call('POST', pods, pod(`p${at}`));
    // Twice the limit is kept before half of it is dropped at once.
    expect([await since(from), server.revision - from]).toEqual([['ERROR 410'], 10]);
    expect(await since(from + 5)).toEqual(['ADDED p6', 'ADDED p7', 'ADDED p8', 'ADDED p9', 'ADDED p10']);
    expect(await since(from + 4)).toEqual(['ERROR 410']);
  });

  it('send bookmarks each minute and before they end', async () => {
    const { call, watch, clock, server } = setUp();
    const seen = await watch(`${pods}?watch=true&allowWatchBookmarks=true&timeoutSeconds=90`);
    await clock.advance(60_000);
    await call('POST', pods, pod('a'));
    await clock.advance(30_000);
    expect(await seen.ended).toBe('ended');
    expect(seen.seen()).toEqual(['BOOKMARK', 'ADDED a', 'BOOKMARK']);
    expect(seen.events.at(-1)?.object.metadata.resourceVersion).toBe(String(server.revision));
    expect([clock.pending, server.watches]).toEqual([0, 0]);
  });

  it('start with the initial events, followed by a bookmark', async () => {
    const { call, watch, clock } = setUp();
    await call('POST', pods, pod('a'));
    const seen = await watch(`${pods}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`);
    await clock.settle();
    expect(seen.seen()).toEqual(['ADDED a', 'BOOKMARK']);
    expect(seen.events[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    expect((await call('GET', `${pods}?watch=true&sendInitialEvents=true`)).status).toBe(422);
  });

  it('are dropped on demand', async () => {
    const { watch, server } = setUp();
    const [ended, cut, expired] = [
      await watch(`${pods}?watch=1`),
      await watch('/api/v1/nodes?watch=1'),
      await watch('/api/v1/secrets?watch=1'),
    ];
    expect(server.dropWatches('cut', 'nodes')).toBe(1);
    expect(server.dropWatches('expire', 'secrets')).toBe(1);
    expect(server.dropWatches()).toBe(1);
    expect(await Promise.all([ended.ended, cut.ended, expired.ended])).toEqual(['ended', 'ApiUnreachable', 'ended']);
    expect(expired.events).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
  });
});
