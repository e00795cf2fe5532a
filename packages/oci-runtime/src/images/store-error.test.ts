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
