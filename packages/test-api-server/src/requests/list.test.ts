import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { of: 'list' } } });
const selected = `${configMaps}?labelSelector=of%3Dlist`;

function withMaps(count: number) {
  const all = setUp();
  for (let n = 0; n < count; n++) all.server.objects.create(configMap(`m${n}`));
  const names = async (url: string) => {
    const { status, body } = await all.call('GET', url);
    return { status, body, names: (body.items ?? []).map((item: { metadata: { name: string } }) => item.metadata.name) };
  };
  return { ...all, names };
}

describe('paged lists', () => {
  it('show one revision, whatever is written between the pages', async () => {
    const { server, names } = withMaps(5);
    const first = await names(`${selected}&limit=2`);
    server.objects.create(configMap('m00'));
    server.objects.delete('configmaps', 'm3');
    const second = await names(`${selected}&limit=2&continue=${first.body.metadata.continue}`);
    const third = await names(`${selected}&limit=2&continue=${second.body.metadata.continue}`);
    expect([first.names, second.names, third.names]).toEqual([['m0', 'm1'], ['m2', 'm3'], ['m4']]);
    expect(third.body.metadata).toEqual({ resourceVersion: first.body.metadata.resourceVersion });
  });

  it('continue at the newest revision with the token of a 410, five minutes later', async () => {
    const { server, clock, names } = withMaps(6);
    const first = await names(`${selected}&limit=2`);
    server.objects.delete('configmaps', 'm3');
    await clock.advance(300_001);
    const late = await names(`${selected}&limit=2&continue=${first.body.metadata.continue}`);
    expect(late).toMatchObject({ status: 410, body: { reason: 'Expired', message: expect.stringContaining('inconsistent list') } });
    const rest = await names(`${selected}&limit=2&continue=${late.body.metadata.continue}`);
    expect([rest.names, rest.body.metadata.resourceVersion]).toEqual([['m2', 'm4'], String(server.revision)]);
    const last = await names(`${selected}&limit=2&continue=${rest.body.metadata.continue}`);
    expect([last.names, last.body.metadata]).toEqual([['m5'], { resourceVersion: rest.body.metadata.resourceVersion }]);
  });

  it('count what remains only without selectors', async () => {
    const { names } = withMaps(3);
    expect((await names(`${configMaps}?limit=2`)).body.metadata.remainingItemCount).toBe(2);
    expect((await names(`${selected}&limit=2`)).body.metadata.remainingItemCount).toBeUndefined();
  });
});

describe('resource versions of lists', () => {
  it('select a revision exactly, or any that is not older', async () => {
    const { server, names } = withMaps(2);
    const { resourceVersion } = (await names(selected)).body.metadata;
    server.objects.create(configMap('m2'));
    const at = (match: string) => names(`${selected}&resourceVersion=${resourceVersion}${match}`);
    expect((await at('&resourceVersionMatch=Exact')).names).toEqual(['m0', 'm1']);
    expect((await at('&limit=5')).names).toEqual(['m0', 'm1']);
    expect((await at('&resourceVersionMatch=NotOlderThan')).names).toEqual(['m0', 'm1', 'm2']);
    expect((await at('')).names).toEqual(['m0', 'm1', 'm2']);
    server.forgetHistory();
    expect((await at('&resourceVersionMatch=Exact')).status).toBe(410);
    expect((await names(`${selected}&resourceVersion=${server.revision + 1}`)).status).toBe(504);
  });

  it.each([
    ['resourceVersionMatch=Exact', 422, 'unless resourceVersion is provided'],
    ['resourceVersionMatch=Exact&resourceVersion=0', 422, 'is forbidden for resourceVersion "0"'],
    ['resourceVersionMatch=Newest&resourceVersion=1', 422, 'supported values: "Exact", "NotOlderThan"'],
    ['sendInitialEvents=true', 422, 'sendInitialEvents is forbidden for list'],
    ['resourceVersion=x', 400, 'invalid resource version'],
    ['continue=x', 400, 'continue key is not valid'],
    ['limit=-1', 400, 'invalid syntax'],
    ['watch=1&sendInitialEvents=true', 422, 'requires setting resourceVersionMatch to NotOlderThan'],
    ['watch=1&resourceVersionMatch=NotOlderThan', 422, 'unless sendInitialEvents is provided'],
  ])('are refused: %s', async (query, code, message) => {
    const { call } = setUp();
    const { status, body } = await call('GET', `${configMaps}?${query}`);
    expect([status, body.message]).toEqual([code, expect.stringContaining(message)]);
  });
});
