import { describe, expect, it } from 'vitest';
import { readRunOptions } from './run-options.js';

const read = (...args: string[]) => readRunOptions(['--root-dir', '/r', ...args], {}, true).certificates;

describe('the flags of the certificates', () => {
  it("have the kubelet's defaults", () => {
    const defaults = { rotateCertificates: false, serverTLSBootstrap: false, certDir: '/r/pki' };
    expect(read()).toEqual(defaults);
    expect(read('--kubeconfig', '/k')).toEqual(defaults);
  });

  it('set the options', () => {
    const flags = ['--bootstrap-kubeconfig', '/b', '--rotate-certificates', 'true', '--rotate-server-certificates', 'true'];
    expect(read('--kubeconfig', '/k', ...flags, '--cert-dir', '/d')).toEqual({
      bootstrapKubeconfig: '/b',
      rotateCertificates: true,
      serverTLSBootstrap: true,
      certDir: '/d',
    });
  });

  it.each(['--bootstrap-kubeconfig', '--rotate-certificates', '--rotate-server-certificates'])('%s requires a cluster', (flag) => {
    expect(() => read(flag, 'true')).toThrow(expect.objectContaining({ code: 'BAD_USAGE', message: `${flag}: requires --kubeconfig` }));
  });
});
