import type { Pod, PodConfigUpdate } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createPodConfig } from './pod-config.js';

const pod = (uid: string): Pod => ({ metadata: { name: uid, namespace: 'ns', uid } });
const textOf = (update: PodConfigUpdate | undefined) =>
  update && `${update.source} ${update.op} ${update.pods.map(({ metadata }) => metadata?.uid).join(',')}`;

function setUp() {
  const events: string[] = [];
  const recorder = { event: (_: unknown, type: string, reason: string, message: string) => events.push(`${type} ${reason} ${message}`) };
  const config = createPodConfig({ clock: createVirtualClock(), recorder });
  const drain = () => {
    const all: (string | undefined)[] = [];
    for (let update = config.updates.poll(); update !== undefined; update = config.updates.poll()) all.push(textOf(update));
    return all;
  };
  return { config, events, drain };
}

describe('createPodConfig', () => {
  it('merges the lists of its sources in the order of arrival', () => {
    const { config, drain } = setUp();
    const [file, api] = [config.channel('file'), config.channel('api')];
    let offers = 0;
    config.updates.onOffer = () => offers++;
    file([pod('a')]);
    api([]);
    file([pod('b')]);
    expect(drain()).toEqual(['file ADD a', 'api ADD ', 'file REMOVE a', 'file ADD b']);
    expect(offers).toBe(4);
  });

  it('records an event for an omitted pod', () => {
    const { config, events } = setUp();
    config.channel('file')([pod('a'), pod('a')]);
    expect(events).toEqual(['Warning FailedValidation Error validating pod a_ns(a) from file due to duplicate pod name "a", ignoring']);
  });

  it('completes the pods of a source with a node name, and omits a pod that it cannot complete', () => {
    const { config, events, drain } = setUp();
    const list = config.channel('mine', 'n1');
    const plain = { metadata: { name: 'plain' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const resources = { limits: { cpu: 'much' } };
    list([plain, { metadata: { name: 'odd', uid: 'u' }, spec: { containers: [{ name: 'c', image: 'i', resources }] } }]);
    const { pods: [pod] = [] } = config.updates.poll() ?? {};
    expect(pod).toMatchObject({
      metadata: { name: 'plain', namespace: 'default', uid: expect.any(String) },
      spec: { enableServiceLinks: true },
    });
    expect(events).toEqual([expect.stringContaining('Warning FailedValidation Error validating pod odd_(u) from mine due to ')]);
    list([plain]);
    list([structuredClone(plain)]);
    expect(drain()).toEqual([]);
  });

  it('stays bounded while the consumer takes no updates: only the newest list of each source waits', () => {
    const { config, drain } = setUp();
    const [file, api] = [config.channel('file'), config.channel('api')];
    for (let version = 0; version < 1000; version++) {
      file([pod(`f${version}`)]);
      if (version > 100) api([pod(`a${version}`)]);
    }
    expect(config.updates.size).toBeLessThanOrEqual(config.updates.capacity);
    const updates = drain();
    expect(updates.slice(-3)).toEqual([expect.stringMatching(/^file REMOVE f\d+$/), 'file ADD f999', 'api ADD a999']);
    expect(updates.length).toBeLessThan(60);
    file([]);
    expect(drain()).toEqual(['file REMOVE f999']);
  });

  it('keeps the order when the consumer takes updates within onOffer', () => {
    const { config } = setUp();
    const file = config.channel('file');
    const taken: (string | undefined)[] = [];
    config.updates.onOffer = () => taken.push(textOf(config.updates.poll()));
    file([pod('a'), pod('b')]);
    file([pod('c')]);
    expect(taken).toEqual(['file ADD a,b', 'file REMOVE a,b', 'file ADD c']);
  });

  it('has seen all sources when each emitted a list and the sync loop handled it', () => {
    const { config } = setUp();
    expect(config.seenAllSources(new Set())).toBe(true);
    const [file, api] = [config.channel('file'), config.channel('api')];
    file([]);
    expect(config.seenAllSources(new Set(['file', 'api']))).toBe(false);
    api([]);
    expect(config.seenAllSources(new Set(['file']))).toBe(false);
    expect(config.seenAllSources(new Set(['file', 'api', 'http']))).toBe(true);
  });

  it('refuses a source without a name', () => {
    expect(() => setUp().config.channel('')).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field: 'source' } }));
  });
});
