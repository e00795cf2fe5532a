import { expect, it } from 'vitest';
import { hiddenPaths } from './hidden-paths.js';

it('hides what the request names, what the kubelet hides by default, or nothing', () => {
  expect(hiddenPaths({ maskedPaths: ['/proc/kcore'], readonlyPaths: ['/proc/sys'] })).toEqual({
    maskedPaths: ['/proc/kcore'],
    readonlyPaths: ['/proc/sys'],
  });
  expect(hiddenPaths({})).toEqual({ maskedPaths: [], readonlyPaths: [] });
  expect(hiddenPaths({ privileged: true, maskedPaths: ['/proc/kcore'] })).toEqual({ maskedPaths: [], readonlyPaths: [] });
  expect(hiddenPaths(undefined).maskedPaths).toContain('/proc/kcore');
  expect(hiddenPaths(undefined).readonlyPaths).toContain('/proc/sys');
});
