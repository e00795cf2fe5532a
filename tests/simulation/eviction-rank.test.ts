import type { Summary } from '@nodeagent/api';
import type { PodView } from '@nodeagent/core/node';
import { expect, it } from 'vitest';
import { candidatesOf } from './eviction-rank.js';

it('takes pods for candidates that are present in their source', () => {
  const view = (uid: string) => ({ pod: { metadata: { name: uid, uid } }, status: { phase: 'Running' } }) as PodView;
  const stats = { pods: ['a', 'b'].map((uid) => ({ podRef: { uid }, containers: [] })) } as unknown as Summary;
  expect(candidatesOf(stats, [view('a'), view('b')], new Set(['a'])).map(({ uid }) => uid)).toEqual(['a']);
});
