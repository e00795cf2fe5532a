import { expect, it } from 'vitest';
import { apiErrorCodes } from '../errors.js';
import { apiStatusError, apiStatusOf, isApiReason, objectKey } from './api-status.js';

const notFound = { code: 404, reason: 'NotFound', message: 'pods "web" not found' };

it('keeps the Status of the API server', () => {
  const error = apiStatusError(notFound);
  expect(error).toMatchObject({ code: apiErrorCodes.apiError, message: 'pods "web" not found', retryable: false });
  expect(apiStatusOf(error)).toBe(notFound);
  expect([isApiReason(error, 'NotFound'), isApiReason(error, 'Conflict')]).toEqual([true, false]);
});

it('is retryable for temporary statuses only', () => {
  expect([429, 500, 503, 403, 409].map((code) => apiStatusError({ ...notFound, code }).retryable)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

it('returns no Status for other errors', () => {
  expect(apiStatusOf(new Error('connection refused'))).toBeUndefined();
  expect(isApiReason(undefined, 'NotFound')).toBe(false);
});

it('names an object by its namespace, if it has one, and its name', () => {
  expect(objectKey({ metadata: { namespace: 'default', name: 'web' } })).toEqual({ namespace: 'default', name: 'web' });
  expect(objectKey({ metadata: { name: 'node-1' } })).toEqual({ name: 'node-1' });
  expect(() => objectKey({ metadata: {} })).toThrow('the object has no metadata.name');
});
