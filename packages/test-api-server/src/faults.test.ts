import { describe, expect, it } from 'vitest';
import { pod, pods, setUp } from './test-api-server.fixture.js';

describe('faults of the API server', () => {
  it('reject selected requests a given number of times', async () => {
    const { call, server } = setUp();
    const fault = server.fault({ match: { verb: 'create', resource: 'pods' }, status: 429, retryAfterSeconds: 3, times: 2, skip: 1 });
    const codes = [];
    for (const name of ['a', 'b', 'c', 'd']) codes.push((await call('POST', pods, pod(name))).status);
    expect(codes).toEqual([201, 429, 429, 201]);
    expect(fault.hits).toBe(2);
    server.fault({ status: 429 });
    expect((await call('GET', pods)).headers).toMatchObject({ 'retry-after': '1' });
    server.fault({ match: { verb: 'patch' }, status: 409 });
    expect((await call('PATCH', `${pods}/a`, {}, { 'content-type': 'application/merge-patch+json' })).body).toMatchObject({
      reason: 'Conflict',
    });
  });

  it('delay requests, and cut connections before or after processing', async () => {
    const { call, server, clock } = setUp();
    server.fault({ latencyMs: 5_000 });
    const before = clock.now();
    await clock.run(call('GET', pods));
    expect(clock.now() - before).toBe(5_000);
    server.fault({ match: { verb: 'create' }, cut: 'before' });
    await expect(call('POST', pods, pod('a'))).rejects.toMatchObject({ code: 'ApiUnreachable', retryable: true });
    expect((await call('GET', `${pods}/a`)).status).toBe(404);
    server.fault({ match: { verb: 'create' }, cut: 'after' });
    await expect(call('POST', pods, pod('a'))).rejects.toMatchObject({ code: 'ApiUnreachable' });
    expect((await call('GET', `${pods}/a`)).status).toBe(200);
  });

  it('hit a share of the requests until they are removed', async () => {
    const { call, server } = setUp();
    const fault = server.fault({ probability: 0.5, status: 500, times: Number.POSITIVE_INFINITY });
    const codes = new Set<number>();
    for (let i = 0; i < 50; i++) codes.add((await call('GET', pods)).status);
    expect([...codes].sort()).toEqual([200, 500]);
    expect(fault.hits).toBeGreaterThan(10);
    fault.remove();
    server.fault({ match: ({ name }) => name === 'x', status: 500 });
    server.clearFaults();
    expect((await call('GET', `${pods}/x`)).status).toBe(404);
  });

  it('expire watches with an ERROR event', async () => {
    const { watch, server } = setUp();
    server.fault({ match: { verb: 'watch' }, status: 410 });
    const { events, ended } = await watch(`${pods}?watch=true`);
    expect(await ended).toBe('ended');
    expect(events).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
  });
});
