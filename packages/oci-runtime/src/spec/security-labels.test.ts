import { describe, expect, it } from 'vitest';
import { apparmorProfile, relabeledPaths, selinuxLabels } from './security-labels.js';

const facts = { defaultProfile: 'default' };

describe('apparmorProfile', () => {
  it.each([
    [{}, 'default'],
    [{ apparmor: { profileType: 'RuntimeDefault' as const } }, 'default'],
    [{ apparmor: { profileType: 'Unconfined' as const } }, undefined],
    [{ apparmor: { profileType: 'Localhost' as const, localhostRef: 'web' } }, 'web'],
    [{ apparmorProfile: 'localhost/web' }, 'web'],
    [{ apparmorProfile: 'unconfined' }, undefined],
    [{ apparmorProfile: 'runtime/default' }, 'default'],
    [{ privileged: true }, undefined],
    [{ privileged: true, apparmor: { profileType: 'Localhost' as const, localhostRef: 'web' } }, 'web'],
  ])('of %j is %s', (context, profile) => {
    expect(apparmorProfile(context, facts)).toBe(profile);
  });

  it('is none without AppArmor, and an error if the request names one', () => {
    expect(apparmorProfile({}, undefined)).toBeUndefined();
    const localhost = (localhostRef: string) => ({ apparmor: { profileType: 'Localhost' as const, localhostRef } });
    expect(() => apparmorProfile(localhost('web'), undefined)).toThrow('apparmor: profile "web" cannot be used');
    expect(() => apparmorProfile(localhost(''), facts)).toThrow('apparmor.localhost_ref: must name a profile');
  });
});

describe('selinuxLabels', () => {
  const facts = { user: 'system_u', role: 'system_r', processType: 'container_t', fileType: 'container_file_t', level: 's0:c1,c2' };

  it('are those of the machine with what the request changes', () => {
    expect(selinuxLabels({}, false, facts)).toEqual({
      process: 'system_u:system_r:container_t:s0:c1,c2',
      files: 'system_u:object_r:container_file_t:s0:c1,c2',
    });
    expect(selinuxLabels({ type: 'spc_t', level: 's0:c9' }, true, facts)?.process).toBe('system_u:system_r:spc_t:s0:c9');
  });

  it('are none without SELinux and for a privileged container', () => {
    expect(selinuxLabels({ type: 'spc_t' }, false, undefined)).toBeUndefined();
    expect(selinuxLabels({}, true, facts)).toBeUndefined();
  });

  it('are for the mounts that request them', () => {
    expect(relabeledPaths([{ hostPath: '/a', selinuxRelabel: true }, { hostPath: '/b' }])).toEqual(['/a']);
  });
});
