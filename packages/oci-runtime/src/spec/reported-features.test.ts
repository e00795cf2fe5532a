import { expect, it } from 'vitest';
import { hasCheckpoints, reportedFeatures } from './reported-features.js';

it('reads the features that a runtime reports, and nothing from others', () => {
  expect(reportedFeatures('{"mountOptions": ["ro", "rro"], "linux": {"mountExtensions": {"idmap": {"enabled": false}}}}')).toEqual({
    recursiveReadOnlyMounts: true,
    idMappedMounts: false,
  });
  expect(reportedFeatures('{"mountOptions": ["ro"], "linux": {"namespaces": []}}')).toEqual({ recursiveReadOnlyMounts: false });
  expect(reportedFeatures('{"linux": null}')).toEqual({});
  expect(['unknown command features', '', '[]'].map(reportedFeatures)).toEqual([undefined, undefined, undefined]);
});

it('finds out whether a runtime is built with CRIU', () => {
  expect(hasCheckpoints('crun version 1.14\n+SYSTEMD +CRIU +YAJL\n', '')).toBe(true);
  expect(hasCheckpoints('crun version 1.8.1\n+SYSTEMD +YAJL\n', '')).toBe(false);
  expect(hasCheckpoints('runc version 1.1.5', '{"annotations": {"org.opencontainers.runc.checkpoint.enabled": "true"}}')).toBe(true);
  expect(hasCheckpoints('runc version 1.1.5', '{}')).toBe(false);
});
