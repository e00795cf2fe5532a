import { NodeAgentError } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { storeError } from './store-error.js';

it('keeps hint and details of the store, and begins as the kubelet expects it', () => {
  const error = new NodeAgentError('RegistryUnavailable', 'connection refused', {
    retryable: true,
    hint: 'Wait.',
    details: { status: 503 },
  });
  expect(storeError('failed to pull image "a"', error)).toMatchObject({
    code: 'CRI_UNAVAILABLE',
    message: 'RegistryUnavailable: failed to pull image "a": connection refused',
    retryable: true,
    hint: 'Wait.',
    details: { status: 503 },
  });
});

it('is unknown to clients of the CRI if it is not about names or registries', () => {
  expect(storeError('cannot mount', new Error('ENOSPC: no space left'))).toMatchObject({
    code: 'CRI_UNKNOWN',
    message: 'cannot mount: ENOSPC: no space left',
  });
});

it('stays as it is if it is one of the CRI, or the reason of an aborted call', () => {
  const error = new NodeAgentError('CRI_FAILED_PRECONDITION', 'not reachable');
  expect(storeError('cannot mount', error)).toBe(error);
  const reason = new Error('enough');
  expect(storeError('cannot pull', new Error('aborted'), AbortSignal.abort(reason))).toBe(reason);
});
