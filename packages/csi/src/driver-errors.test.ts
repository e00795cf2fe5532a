import { isUncertainProgress } from '@nodeagent/api';
import { statusError } from '@nodeagent/plugin-api';
import { expect, it } from 'vitest';
import { asProgress, isFinalCsiError } from './driver-errors.js';

it.each(['Canceled', 'DeadlineExceeded', 'Unavailable', 'ResourceExhausted', 'Aborted'] as const)(
  'a driver that fails with %s may still mount the volume',
  (status) => {
    const error = statusError(status, 'later');
    expect(isFinalCsiError(error)).toBe(false);
    expect(isUncertainProgress(asProgress(error))).toBe(true);
  },
);

it.each(['InvalidArgument', 'Internal', 'NotFound', 'FailedPrecondition'] as const)(
  'a driver that fails with %s mounts nothing',
  (status) => {
    const error = statusError(status, 'no');
    expect(isFinalCsiError(error)).toBe(true);
    expect(asProgress(error)).toBe(error);
  },
);
