import type { KubeObject } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import type { ControllerWrite, EndObject, Run } from '../run.js';
import { converges } from './converges.js';
import { endsAlike } from './invariants.js';
import { keepsOthersChanges } from './keeps-others-changes.js';
import { noFlapping } from './no-flapping.js';
import { noLeaks } from './no-leaks.js';
import { noWriteStorm } from './no-write-storm.js';
import { nothingDeletedTwice } from './nothing-deleted-twice.js';
import { statusCatchesUp } from './status-catches-up.js';

const run = (more: Partial<Run> = {}): Run => ({
  schedule: [],
  operations: [],
  deliveries: [],
  writes: [],
  end: [],
  endedAt: 600_000,
  touches: [],
  timeline: [],
  ...more,
});
const pod = (metadata: KubeObject['metadata'], more: object = {}): EndObject => ({
  resource: 'pods',
  object: { apiVersion: 'v1', kind: 'Pod', metadata, ...more },
});
const write = (verb: string, more: Partial<ControllerWrite> = {}): ControllerWrite => ({
  at: 0,
  verb,
  resource: 'pods',
  name: 'p',
  status: 200,
  ...more,
});

describe('invariants', () => {
  it('a controller converges if it writes nothing at the end, and runs', () => {
    expect(converges.check(run({ writes: [write('patch', { at: 500_000 })] }), run())).toBeUndefined();
    expect(converges.check(run({ writes: [write('patch', { at: 560_000 })] }), run())).toContain('patch pods p');
    expect(converges.check(run({ startError: 'no' }), run())).toContain('does not run: no');
  });

  it('a run ends alike without identities and times, with generated names by their prefix', () => {
    const end = (uid: string, name: string, size = 1) => [
      pod({ uid, name, generateName: 'p-' }, { spec: { size, at: `2026-01-01T00:00:0${uid}Z` } }),
    ];
    expect(endsAlike().check(run({ end: end('1', 'p-x') }), run({ end: end('2', 'p-y') }))).toBeUndefined();
    expect(endsAlike().check(run({ end: end('1', 'p-x', 2) }), run({ end: end('2', 'p-y') }))).toMatch(/^- .*"size":1.*\n\+ .*"size":2/);
    expect(endsAlike(() => undefined).check(run({ end: end('1', 'p-x', 2) }), run())).toBeUndefined();
  });

  it('a write storm is measured by the busiest minute', () => {
    const writes = (count: number) => Array.from({ length: count }, (_, n) => write('patch', { at: n * 1_000 }));
    expect(noWriteStorm.check(run({ writes: writes(30) }), run())).toBeUndefined();
    expect(noWriteStorm.check(run({ writes: writes(31) }), run())).toContain('31 writes');
    expect(noWriteStorm.check(run({ writes: writes(31) }), run({ writes: writes(11) }))).toBeUndefined();
  });

  it('a spec flaps if it returns to earlier values', () => {
    const writes = (sizes: number[]) =>
      sizes.map((size) => write('update', { object: { ...pod({ uid: 'u' }, { spec: { size } }).object } }));
    expect(noFlapping.check(run({ writes: writes([1, 2, 1]) }), run())).toBeUndefined();
    expect(noFlapping.check(run({ writes: writes([1, 2, 1, 2]) }), run())).toContain('2 times');
  });

  it('a deletion may be repeated for one object, not for the next of its name', () => {
    const deletion = (uid: string) => write('delete', { object: pod({ uid }).object });
    expect(nothingDeletedTwice.check(run({ writes: [deletion('1'), deletion('1')] }), run())).toBeUndefined();
    expect(nothingDeletedTwice.check(run({ writes: [deletion('1'), deletion('2')] }), run())).toContain('pods p was deleted 2 times');
    const creation = (uid: string) => write('create', { status: 201, object: pod({ uid }).object });
    const again = [creation('1'), deletion('1'), creation('2'), deletion('2')];
    expect(nothingDeletedTwice.check(run({ writes: again }), run())).toBeUndefined();
    expect(nothingDeletedTwice.check(run({ writes: again.slice(1) }), run())).toContain('2 times');
    expect(nothingDeletedTwice.check(run({ writes: [write('delete', { status: 404 }), deletion('2')] }), run())).toBeUndefined();
  });

  it("others' annotations survive as long as the object does", () => {
    const touches = [{ uid: 'u', annotation: 'a' }];
    expect(keepsOthersChanges.check(run({ touches, end: [pod({ uid: 'u', annotations: { a: 'yes' } })] }), run())).toBeUndefined();
    expect(keepsOthersChanges.check(run({ touches, end: [pod({ uid: 'other' })] }), run())).toBeUndefined();
    expect(keepsOthersChanges.check(run({ touches, end: [pod({ uid: 'u', name: 'p' })] }), run())).toContain('pods p');
  });

  it('an object leaks if nothing is left that needs it', () => {
    const operations = ['sites', 'pods'].map((resource, index) => ({
      ...{ index, resource, verb: resource === 'pods' ? 'create' : 'list', at: 0, instance: 1, anyVersion: false, revision: 0 },
    }));
    const leaked = pod({ uid: 'u', name: 'p' });
    const writes = [write('create', { object: leaked.object })];
    expect(noLeaks.check(run({ operations, writes, end: [leaked] }), run())).toContain('pods p');
    const site = { resource: 'sites', object: { metadata: { uid: 's' } } } as EndObject;
    expect(noLeaks.check(run({ operations, writes, end: [leaked, site] }), run())).toBeUndefined();
    expect(noLeaks.check(run({ operations, end: [leaked] }), run())).toBeUndefined();
  });

  it('a status catches up with a changed spec', () => {
    const writes = [write('patch', { subresource: 'status' })];
    const end = (generation: number, observedGeneration?: number) => [pod({ name: 'p', generation }, { status: { observedGeneration } })];
    expect(statusCatchesUp.check(run({ writes, end: end(1) }), run())).toBeUndefined();
    expect(statusCatchesUp.check(run({ writes, end: end(2, 2) }), run())).toBeUndefined();
    expect(statusCatchesUp.check(run({ writes, end: end(2) }), run())).toContain('its status is of none');
    expect(statusCatchesUp.check(run({ end: end(2, 1) }), run())).toBeUndefined();
  });
});
