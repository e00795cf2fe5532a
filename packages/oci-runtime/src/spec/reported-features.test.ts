import { expect, it } from 'vitest';
import { reportedFeatures } from './reported-features.js';

it('reads the features that a runtime reports, and nothing from others', () => {
  expect(reportedFeatures('{"mountOptions": ["ro", "rro"], "linux": {"mountExtensions": {"idmap": {"enabled": false}}}}')).toEqual({
    recursiveReadOnlyMounts: true,
    idMappedMounts: false,
  });
  expect(reportedFeatures('{"mountOptions": ["ro"], "linux": {"namespaces": []}}')).toEqual({ recursiveReadOnlyMounts: false });
  expect(reportedFeatures('{"linux": null}')).toEqual({});
  expect(['unknown command features', '', '[]'].map(reportedFeatures)).toEqual([undefined, undefined, undefined]);
});
