import type { Pod } from '@nodeagent/api';
import { isMirrorPodOf } from '@nodeagent/api/helpers';
import { describe, expect, it } from 'vitest';
import { createPodManager } from './pod-manager.js';

const pod = (name: string, uid: string, annotations: Record<string, string> = {}): Pod => ({
  metadata: { name, namespace: 'ns', uid, annotations },
});
const staticPod = (name: string, uid: string, hash = 'h') =>
  pod(name, uid, { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': hash });
const mirror = (name: string, uid: string, hash = 'h') =>
  pod(name, uid, { 'kubernetes.io/config.source': 'api', 'kubernetes.io/config.mirror': hash });

describe('createPodManager', () => {
  it('finds pods by UID and by name, and lists them without mirrors', () => {
    const manager = createPodManager();
    const [a, m] = [staticPod('a', '1'), mirror('a', '2')];
    manager.setPods([a, m]);
    expect(manager.pods()).toEqual([a]);
    expect([manager.podByUid('1'), manager.podByName('ns', 'a'), manager.podByFullName('a_ns')]).toEqual([a, a, a]);
    expect(manager.podByUid('2')).toBeUndefined();
    expect(manager.podsAndMirrorPods()).toEqual({ pods: [a], mirrorPods: [m], orphanedMirrorPodFullNames: [] });
  });

  it.each(['pod first', 'mirror first'])('brings a static pod and its mirror together: %s', (order) => {
    const manager = createPodManager();
    const [a, m] = [staticPod('a', '1'), mirror('a', '2')];
    for (const each of order === 'pod first' ? [a, m] : [m, a]) manager.addPod(each);
    expect(manager.mirrorPodByPod(a)).toBe(m);
    expect(manager.podByMirrorPod(m)).toBe(a);
    expect(manager.podAndMirrorPod(a)).toEqual({ pod: a, mirrorPod: m, wasMirror: false });
    expect(manager.podAndMirrorPod(m)).toEqual({ pod: a, mirrorPod: m, wasMirror: true });
    expect([manager.translatePodUid('2'), manager.translatePodUid('1'), manager.translatePodUid('9')]).toEqual(['1', '1', '9']);
    expect(manager.uidTranslations()).toEqual({ podToMirror: new Map([['1', '2']]), mirrorToPod: new Map([['2', '1']]) });
  });

  it('keeps the UID translation when the static pod is removed, and drops it with the mirror pod', () => {
    const manager = createPodManager();
    const [a, m] = [staticPod('a', '1'), mirror('a', '2')];
    manager.setPods([a, m]);
    manager.removePod(a);
    expect(manager.translatePodUid('2')).toBe('1');
    expect(manager.podsAndMirrorPods().orphanedMirrorPodFullNames).toEqual(['a_ns']);
    expect(manager.podAndMirrorPod(m)).toEqual({ mirrorPod: m, wasMirror: true });
    manager.removePod(m);
    expect(manager.translatePodUid('2')).toBe('2');
  });

  it('returns an empty mirror UID for a static pod without a mirror pod, and no entry for other pods', () => {
    const manager = createPodManager();
    manager.setPods([staticPod('a', '1'), pod('b', '3', { 'kubernetes.io/config.source': 'api' })]);
    expect(manager.uidTranslations().podToMirror).toEqual(new Map([['1', '']]));
  });

  it('replaces a pod on updatePod, and all pods on setPods', () => {
    const manager = createPodManager();
    manager.addPod(staticPod('a', '1'));
    const changed = staticPod('a', '1', 'h2');
    manager.updatePod(changed);
    expect(manager.podByUid('1')).toBe(changed);
    manager.setPods([]);
    expect(manager.podsAndMirrorPods()).toEqual({ pods: [], mirrorPods: [], orphanedMirrorPodFullNames: [] });
    manager.removePod(changed);
    expect(manager.pods()).toEqual([]);
  });

  it('returns copies of its lists', () => {
    const manager = createPodManager();
    manager.addPod(staticPod('a', '1'));
    manager.pods().length = 0;
    manager.uidTranslations().podToMirror.clear();
    expect(manager.pods()).toHaveLength(1);
  });
});

describe('isMirrorPodOf', () => {
  it.each([
    [mirror('a', '2', 'h'), staticPod('a', '1', 'h'), true],
    [mirror('a', '2', 'old'), staticPod('a', '1', 'h'), false],
    [mirror('b', '2', 'h'), staticPod('a', '1', 'h'), false],
    [pod('a', '2'), staticPod('a', '1', 'h'), false],
  ])('case %#', (mirrorPod, of, expected) => {
    expect(isMirrorPodOf(mirrorPod, of)).toBe(expected);
  });
});
