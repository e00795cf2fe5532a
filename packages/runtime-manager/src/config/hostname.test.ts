import type { Pod, PodSpec } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { podHostnameAndDomain, sandboxHostname } from './hostname.js';

const pod = (spec: Partial<PodSpec>): Pod => ({
  metadata: { name: 'web-0', namespace: 'prod', uid: 'u1' },
  spec: { containers: [], ...spec },
});

describe('hostname', () => {
  it("is the override, the spec's hostname or the pod's name", () => {
    expect(podHostnameAndDomain(pod({ subdomain: 'db' }), 'c.local')).toEqual({ hostname: 'web-0', domain: 'db.prod.svc.c.local' });
    expect(podHostnameAndDomain(pod({ hostname: 'h' }), 'c.local')).toEqual({ hostname: 'h', domain: '' });
    expect(podHostnameAndDomain(pod({ hostname: 'h', subdomain: 'db', hostnameOverride: 'a.b' }), 'c')).toEqual({
      hostname: 'a.b',
      domain: '',
    });
  });

  it('is truncated to 63 characters without a trailing dash or dot', () => {
    const name = `${'x'.repeat(61)}-.tail`;
    expect(podHostnameAndDomain({ metadata: { name } }, '').hostname).toBe('x'.repeat(61));
  });

  it.each<Partial<PodSpec>>([{ hostname: 'a.b' }, { subdomain: 'UP' }, { hostnameOverride: '' }, { hostname: 'x'.repeat(64) }])(
    'refuses %o',
    (spec) => {
      expect(() => podHostnameAndDomain(pod(spec), 'c')).toThrow(expect.objectContaining({ code: 'InvalidHostname' }));
    },
  );

  it("is the FQDN on request, if it fits the kernel's limit", () => {
    expect(sandboxHostname('h', 'd', true)).toBe('h.d');
    expect(sandboxHostname('h', 'd', false)).toBe('h');
    expect(() => sandboxHostname('h', 'd'.repeat(63), true)).toThrow('65 characters requested');
  });
});
