import type { Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { readPermalink } from '../../docs/playground/permalink.js';
import { type Action, actionsOf } from './actions.js';
import { playgroundLink, playgroundRun } from './playground-link.js';

const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'main', image: 'app:1' }] } };
const actions: Action[] = [
  { afterMs: 500, do: 'create', pod },
  { afterMs: 1_000, do: 'fault', kind: 'machine-reboot', forMs: 10_000, seed: 1 },
  { afterMs: 2_000, do: 'update', name: 'a', image: 'app:2' },
  { afterMs: 100, do: 'fault', kind: 'lost-events', forMs: 10_000, seed: 1 },
  { afterMs: 20_000, do: 'delete', name: 'a', graceSeconds: 5 },
];

it('gives the actions of a run their times, in order, and names what is missing', () => {
  const { state, missing } = playgroundRun(7, actions);
  expect(state.seed).toBe(7);
  expect(state.actions.map(({ at, kind }) => `${at} ${kind}`)).toEqual([
    '1500 add',
    '2500 crash',
    '4500 add',
    '12500 restart',
    '24600 delete',
  ]);
  expect(state.actions[2]).toMatchObject({ manifests: expect.stringContaining('app:2') });
  expect(missing).toEqual(['the scripted behaviour of containers', 'the fault lost-events']);
});

it('keeps the link of a whole run small enough to be read', async () => {
  const long = actionsOf({ seed: 3, hours: 0.5, pods: 30 });
  expect(long.length).toBeGreaterThan(300);
  const line = await playgroundLink(3, long);
  expect(await readPermalink(line.split('playground/')[1] ?? '')).toEqual({ state: playgroundRun(3, long).state });
});

it('writes a link that the playground reads', async () => {
  const line = await playgroundLink(7, actions);
  expect(line).toMatch(/^in the playground, without .*lost-events: playground\/#v1\./);
  expect(await readPermalink(line.split('playground/')[1] ?? '')).toEqual({ state: playgroundRun(7, actions).state });
});
