import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';
import { definition, definitions, widget, widgets, withSpec } from './definitions.fixture.js';

const conditionsOf = (object: { status?: { conditions?: { type: string; status: string; reason: string }[] } }) =>
  (object.status?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);

describe('lifecycle of definitions', () => {
  it('is established by later writes, which a waiting client sees', async () => {
    const { call, watch } = setUp();
    const created = await call('POST', definitions, definition());
    expect(created.body.status).toEqual({ acceptedNames: { plural: '', kind: '' }, conditions: null, storedVersions: ['v1'] });
    const { events, abort } = await watch(`${definitions}?watch=true&resourceVersion=${created.body.metadata.resourceVersion}`);
    await new Promise(setImmediate);
    abort();
    expect(events.map(({ type, object }) => [type, ...conditionsOf(object as never)])).toEqual([
      ['MODIFIED', 'NamesAccepted=True NoConflicts'],
      ['MODIFIED', 'NamesAccepted=True NoConflicts', 'Established=True InitialNamesAccepted'],
    ]);
    const { body } = await call('GET', `${definitions}/widgets.example.com`);
    expect(body.status.acceptedNames).toEqual({ plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' });
    expect((await call('POST', widgets, widget('a'))).status).toBe(201);
  });

  it('gets, updates and patches the status', async () => {
    const { call, patch } = setUp();
    await call('POST', definitions, definition());
    const at = `${definitions}/widgets.example.com/status`;
    const { body } = await call('GET', at);
    body.status.conditions.push({
      type: 'StatusUpdate',
      status: 'True',
      reason: 'E2E',
      message: 'set',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    expect(conditionsOf((await call('PUT', at, body)).body)).toContain('StatusUpdate=True E2E');
    const patched = await patch(at, {
      status: { conditions: [...body.status.conditions, { type: 'Patched', status: 'True', reason: 'E2E', message: '' }] },
    });
    expect(conditionsOf(patched.body)).toContain('Patched=True E2E');
    expect(conditionsOf((await call('GET', at)).body)).toHaveLength(4);
  });

  it('does not serve names that others have', async () => {
    const { call } = setUp();
    await call('POST', definitions, definition());
    const other = { ...definition(), metadata: { name: 'gadgets.example.com' } };
    const names = { plural: 'gadgets', singular: 'widget', kind: 'Widget', shortNames: ['w'] };
    await call('POST', definitions, { ...other, spec: { ...other.spec, names } });
    const { body } = await call('GET', `${definitions}/gadgets.example.com`);
    expect(conditionsOf(body)).toEqual(['NamesAccepted=False MultipleNamesNotAllowed', 'Established=False NotAccepted']);
    expect(body.status.conditions[0].message).toBe(
      '["widget" is already in use, "Widget" is already in use, "WidgetList" is already in use]',
    );
    expect((await call('GET', '/apis/example.com/v1/gadgets')).status).toBe(404);
    await call('DELETE', `${definitions}/widgets.example.com`);
    expect(conditionsOf((await call('GET', `${definitions}/gadgets.example.com`)).body)).toContain('Established=True InitialNamesAccepted');
    expect((await call('GET', '/apis/example.com/v1/gadgets')).status).toBe(200);
  });

  it('is deleted after its objects, and refuses new ones meanwhile', async () => {
    const { call, patch } = setUp();
    await call('POST', definitions, definition());
    await call('POST', widgets, widget('free'));
    await call('POST', widgets, { ...widget('held'), metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    const deleted = await call('DELETE', `${definitions}/widgets.example.com`);
    expect(deleted.body.metadata).toMatchObject({
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
      deletionTimestamp: expect.anything(),
    });
    expect(conditionsOf(deleted.body)).toContain('Terminating=True InstanceDeletionPending');
    const terminating = await call('GET', `${definitions}/widgets.example.com`);
    expect(conditionsOf(terminating.body)).toContain('Terminating=True InstanceDeletionInProgress');
    expect((await call('GET', widgets)).body.items.map((each: { metadata: { name: string } }) => each.metadata.name)).toEqual(['held']);
    const refused = await call('POST', widgets, widget('new'));
    expect(refused.body).toMatchObject({ code: 405, message: 'create not allowed while custom resource definition is terminating' });
    expect((await patch(`${widgets}/held`, { metadata: { finalizers: null } })).status).toBe(200);
    expect((await call('GET', `${definitions}/widgets.example.com`)).status).toBe(404);
    expect((await call('GET', widgets)).status).toBe(404);
  });

  it('is deleted at once without objects', async () => {
    const { call } = setUp();
    await call('POST', definitions, definition());
    await call('GET', definitions);
    await call('DELETE', `${definitions}/widgets.example.com`);
    expect((await call('GET', `${definitions}/widgets.example.com`)).status).toBe(404);
  });

  it('lists definitions, and deletes those that a selector matches', async () => {
    const { call } = setUp();
    const named = (plural: string, kind: string) => ({
      ...definition(),
      metadata: { name: `${plural}.example.com`, labels: { suite: 'a' } },
      spec: { ...definition().spec, names: { plural, kind } },
    });
    await call('POST', definitions, named('as', 'A'));
    await call('POST', definitions, named('bs', 'B'));
    expect((await call('GET', `${definitions}?labelSelector=suite%3Da`)).body.items).toHaveLength(2);
    await call('DELETE', `${definitions}?labelSelector=suite%3Da`);
    expect((await call('GET', definitions)).body.items).toEqual([]);
  });

  it('serves versions by priority, each with its schema, and warns of deprecated ones', async () => {
    const { call, patch } = setUp();
    const versions = [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        deprecated: true,
        schema: { openAPIV3Schema: withSpec({ a: { type: 'string', default: 'old' } }) },
      },
      {
        name: 'v1',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: withSpec({ a: { type: 'string' }, b: { type: 'integer', default: 1 } }) },
      },
    ];
    await call('POST', definitions, definition(undefined, {}, { versions }));
    const group = (await call('GET', '/apis/example.com')).body;
    expect(group.preferredVersion.version).toBe('v1');
    const created = await call('POST', '/apis/example.com/v1beta1/namespaces/default/widgets', {
      ...widget('x', {}),
      apiVersion: 'example.com/v1beta1',
    });
    expect(created.headers.warning).toBe('299 - "example.com/v1beta1 Widget is deprecated"');
    expect(created.body).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: { a: 'old' } });
    expect((await call('GET', `${widgets}/x`)).body).toMatchObject({ apiVersion: 'example.com/v1', spec: { a: 'old', b: 1 } });
    const at = `${definitions}/widgets.example.com`;
    const moved = versions.map((version) => ({ ...version, storage: !version.storage }));
    expect((await patch(at, { spec: { versions: moved } })).body.status.storedVersions).toEqual(['v1beta1', 'v1']);
    const dropped = await patch(at, { spec: { versions: moved.slice(1) } });
    expect(dropped.body.message).toContain('status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions');
    await patch(`${at}/status`, { status: { storedVersions: ['v1'] } });
    expect((await patch(at, { spec: { versions: moved.slice(1) } })).status).toBe(200);
    expect((await call('GET', '/apis/example.com/v1beta1/widgets')).status).toBe(404);
  });

  it('watches custom objects', async () => {
    const { call, patch, watch } = setUp();
    await call('POST', definitions, definition());
    const { seen, abort } = await watch(`${widgets}?watch=true`);
    await call('POST', widgets, widget('a'));
    await patch(`${widgets}/a`, { spec: { size: 1 } });
    await call('DELETE', `${widgets}/a`);
    await new Promise(setImmediate);
    abort();
    expect(seen()).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
  });
});
