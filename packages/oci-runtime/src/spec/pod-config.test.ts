import { describe, expect, it } from 'vitest';
import { checkPodConfig } from './pod-config.js';

const metadata = { name: 'web', namespace: 'default', uid: 'u', attempt: 0 };

describe('checkPodConfig', () => {
  it('accepts what the kubelet sends', () => {
    const linux = { cgroupParent: '/kubepods/burstable/pod1' };
    expect(() => checkPodConfig({ metadata, hostname: 'web-1.example', dnsConfig: { servers: ['10.0.0.1'] }, linux })).not.toThrow();
  });

  it.each([
    [{ hostname: 'a\0b' }, 'config.hostname'],
    [{ hostname: '../a' }, 'config.hostname'],
    [{ hostname: 'a\nb' }, 'config.hostname'],
    [{ dnsConfig: { servers: ['10.0.0.1\nnameserver 10.6.6.6'] } }, 'config.dns_config'],
    [{ dnsConfig: { options: ['\0'] } }, 'config.dns_config'],
    [{ linux: { cgroupParent: '/kubepods/../../../tmp' } }, 'cgroup_parent'],
    [{ linux: { cgroupParent: '/kubepods\0' } }, 'cgroup_parent'],
    [{ metadata: { ...metadata, name: '' } }, 'config.metadata.name'],
  ])('refuses %j', (config, field) => {
    expect(() => checkPodConfig({ metadata, ...config })).toThrow(
      expect.objectContaining({ code: 'CRI_INVALID_ARGUMENT', details: { field } }),
    );
  });
});
