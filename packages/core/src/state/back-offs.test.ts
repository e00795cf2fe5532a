import { NodeAgentError } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { backOffsOf, createBackOffs } from './back-offs.js';

const backOff = (code: string, expiry: number) => new NodeAgentError(code, 'back-off', { details: { expiry } });
const results = [
  { action: 'ConfigPodSandbox', target: 's1' },
  { action: 'StartContainer', target: 'ok' },
  { action: 'StartContainer', target: 'crashes', error: backOff('CrashLoopBackOff', 20) },
  { action: 'StartContainer', target: 'no-image', error: backOff('ImagePullBackOff', 10) },
  { action: 'StartContainer', target: 'broken', error: new NodeAgentError('RunContainerError', 'no such file') },
] as const;

it('are those of the containers with a delayed start', () => {
  expect(backOffsOf({ results: [...results] })).toEqual([
    { container: 'crashes', reason: 'CrashLoopBackOff', until: 20 },
    { container: 'no-image', reason: 'ImagePullBackOff', until: 10 },
  ]);
});

it('last until the next sync, or until the pod is removed', () => {
  const backOffs = createBackOffs();
  backOffs.update('a', { results: [...results] });
  backOffs.retain(new Set(['a']));
  expect(backOffs.get('a')).toHaveLength(2);
  backOffs.update('a', { results: [] });
  expect(backOffs.get('a')).toEqual([]);
  backOffs.update('a', { results: [...results] });
  backOffs.retain(new Set());
  expect(backOffs.get('a')).toEqual([]);
});
