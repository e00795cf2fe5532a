import { volumePaths } from '@nodeagent/api/helpers';
import { describe, expect, it } from 'vitest';
import { csiBlockPaths, csiStagePath, csiTargetPath } from './names.js';

const paths = volumePaths('/var/lib/kubelet');

describe('paths of CSI volumes', () => {
  it('are in the root directory for any volume name', () => {
    for (const bad of ['..', '../x', 'a/../../b', 'a//b', '\0']) {
      expect(() => csiStagePath(paths, bad, 'v')).toThrow();
      expect(() => csiBlockPaths(paths, bad).stagingPath).toThrow();
    }
    expect(() => csiTargetPath(paths, '../u', 'v')).toThrow();
    expect(() => csiTargetPath(paths, 'u', '..')).toThrow();
    expect(csiTargetPath(paths, 'u', '../v')).toBe('/var/lib/kubelet/pods/u/volumes/kubernetes.io~csi/..~v/mount');
    expect(csiStagePath(paths, 'd', '../../etc')).toMatch(
      /^\/var\/lib\/kubelet\/plugins\/kubernetes\.io\/csi\/d\/[0-9a-f]{64}\/globalmount$/,
    );
  });

  it('need a driver and a handle', () => {
    expect(() => csiStagePath(paths, '', 'v')).toThrow('csi source driver name is empty');
    expect(() => csiStagePath(paths, 'd', '')).toThrow('volume handle is empty');
  });
});
