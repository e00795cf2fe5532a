import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readPermalink, writePermalink } from './permalink.js';
import type { PlaygroundState } from './state.js';

const state: PlaygroundState = {
  manifests: 'apiVersion: v1\nkind: Pod\nmetadata: { name: größe }\n',
  seed: 7,
  nodes: 3,
  periods: 'kubelet',
  actions: [
    { at: 0, kind: 'crash', node: 'node-1' },
    { at: 1_500, kind: 'delete', object: { resource: 'pods', namespace: 'default', name: 'web' } },
  ],
};
const fragmentOf = (value: unknown) => `v1.${deflateRawSync(JSON.stringify(value)).toString('base64url')}`;
const problemOf = async (fragment: string) => {
  const link = await readPermalink(fragment);
  return link && 'problem' in link ? link.problem : link;
};

it('reads what it writes, with and without the number sign', async () => {
  const fragment = await writePermalink(state);
  expect(fragment).toMatch(/^v1\.[\w-]+$/);
  expect(await readPermalink(fragment)).toEqual({ state });
  expect(await readPermalink(`#${fragment}`)).toEqual({ state });
});

it('compresses manifests', async () => {
  const manifests = state.manifests.repeat(100);
  expect((await writePermalink({ ...state, manifests })).length).toBeLessThan(500);
});

it('ignores fragments that are anchors of the page', async () => {
  expect(await readPermalink('')).toBeUndefined();
  expect(await readPermalink('#faults')).toBeUndefined();
});

it('names a newer version', async () => {
  expect(await problemOf('v2.abcd')).toMatch(/newer version of the playground \(format 2; this page reads up to 1\)/);
});

it('reports damaged data, never a half-read state', async () => {
  const fragment = await writePermalink(state);
  for (let length = 3; length < fragment.length; length++)
    expect(await problemOf(fragment.slice(0, length)), `${length}`).toMatch(/damaged/);
  expect(await problemOf('v1.***')).toMatch(/damaged/);
});

it('names the field that is wrong', async () => {
  expect(await problemOf(fragmentOf({ ...state, nodes: 101 }))).toMatch(/nodes: must be an integer from 1 to 100/);
  expect(await problemOf(fragmentOf({ ...state, actions: [{ at: 1, kind: 'explode' }] }))).toMatch(/actions\[0\]\.kind: "explode"/);
  expect(await problemOf(fragmentOf({ ...state, actions: [{ at: 1, kind: 'crash' }] }))).toMatch(/actions\[0\]\.node: must be a string/);
  expect(await problemOf(fragmentOf({ ...state, actions: [{ at: 1, kind: 'constructor' }] }))).toMatch(/no kind of action/);
  expect(await problemOf(fragmentOf({ ...state, actions: [...state.actions].reverse() }))).toMatch(/actions\[1\]\.at/);
});

it('refuses a small link that expands to a large state', async () => {
  expect(await problemOf(fragmentOf({ ...state, manifests: 'a'.repeat(5 * 1024 * 1024) }))).toMatch(/damaged/);
});
