import { NodeAgentError, type SyncResult } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { statusManagerErrorCodes } from '../errors.js';
import { aContainer, aPod } from '../test-builders.js';
import { createReasonCache } from './reason-cache.js';

const failed = (target: string, action: SyncResult['action'] = 'StartContainer'): SyncResult => ({
  action,
  target,
  error: new NodeAgentError('CrashLoopBackOff', 'back-off 10s'),
});
const succeeded = (target: string): SyncResult => ({ action: 'StartContainer', target });

describe('reason cache', () => {
  it('records failed starts with their code and forgets them on success', () => {
    const cache = createReasonCache();
    cache.update('u', { results: [failed('a'), failed('b')] });
    expect(cache.get('u', 'a')).toEqual({ reason: 'CrashLoopBackOff', message: 'back-off 10s' });
    cache.update('u', { results: [succeeded('a')] });
    expect([cache.get('u', 'a'), cache.size]).toEqual([undefined, 1]);
  });

  it('ignores actions other than starts', () => {
    const cache = createReasonCache();
    cache.update('u', { results: [failed('a', 'KillContainer'), failed('s', 'CreatePodSandbox')] });
    expect(cache.size).toBe(0);
  });

  it('separates pods, and returns a pod’s reasons by container', () => {
    const cache = createReasonCache();
    const pod = aPod({ containers: [aContainer('a'), aContainer('b')] });
    cache.update('u-2', { results: [failed('a')] });
    expect(cache.reasonsOf(pod)).toBeUndefined();
    cache.update('u-1', { results: [failed('b')] });
    expect(Object.keys(cache.reasonsOf(pod) ?? {})).toEqual(['b']);
  });

  it('drops the least recently used reason', () => {
    const cache = createReasonCache({ capacity: 2 });
    cache.update('u', { results: [failed('a'), failed('b')] });
    cache.get('u', 'a');
    cache.update('u', { results: [failed('c')] });
    expect(['a', 'b', 'c'].map((name) => cache.get('u', name) !== undefined)).toEqual([true, false, true]);
  });

  it('uses the message of an error without a code', () => {
    const cache = createReasonCache();
    cache.update('u', { results: [{ action: 'StartContainer', target: 'a', error: new Error('odd') }] });
    expect(cache.get('u', 'a')).toEqual({ reason: 'odd', message: 'odd' });
  });

  it('refuses a capacity below 1', () => {
    expect(() => createReasonCache({ capacity: 0 })).toThrow(
      expect.objectContaining({ code: statusManagerErrorCodes.invalidOption, details: { field: 'capacity' } }),
    );
  });
});
