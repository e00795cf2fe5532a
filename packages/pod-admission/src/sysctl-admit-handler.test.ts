import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createSysctlAdmitHandler, type SysctlAdmitHandlerOptions } from './sysctl-admit-handler.js';

function admit(sysctls: string[], options: SysctlAdmitHandlerOptions = {}, spec: object = {}) {
  const securityContext = { sysctls: sysctls.map((name) => ({ name, value: '1' })) };
  const result = createSysctlAdmitHandler(options).admit({ pod: buildPod({ name: 'p', securityContext, ...spec }), otherPods: [] });
  return result.admit ? 'admitted' : `${result.reason}: ${result.message}`;
}

it.each<[string[], SysctlAdmitHandlerOptions, object, string]>([
  [[], {}, {}, 'admitted'],
  [['kernel.shm_rmid_forced', 'net.ipv4.tcp_wmem'], {}, {}, 'admitted'],
  [['net/ipv4/tcp_syncookies'], {}, {}, 'admitted'],
  [['kernel.msgmax'], {}, {}, 'SysctlForbidden: forbidden sysctl: "kernel.msgmax" not allowlisted'],
  [['kernel.msgmax'], { allowedUnsafeSysctls: ['kernel.msg*'] }, {}, 'admitted'],
  [['net.ipv4.tcp_wmem'], { kernelVersion: '4.14.9-x' }, {}, 'SysctlForbidden: forbidden sysctl: "net.ipv4.tcp_wmem" not allowlisted'],
  [['net.ipv4.tcp_wmem'], { kernelVersion: '4.15' }, {}, 'admitted'],
  [['net.ipv4.tcp_wmem'], { kernelVersion: '6.1.0' }, {}, 'admitted'],
  [
    ['net.ipv4.tcp_syncookies'],
    {},
    { hostNetwork: true },
    'SysctlForbidden: forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host net enabled',
  ],
  [
    ['kernel.shm_rmid_forced'],
    {},
    { hostIPC: true },
    'SysctlForbidden: forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host ipc enabled',
  ],
  [['net/ipv4/conf/eth0.1/x'], { allowedUnsafeSysctls: ['net.ipv4.conf.eth0/1.*'] }, {}, 'admitted'],
])('%j with %o and %o: %s', (sysctls, options, spec, answer) => {
  expect(admit(sysctls, options, spec)).toBe(answer);
});

it('refuses to allow sysctls without a namespace', () => {
  expect(() => createSysctlAdmitHandler({ allowedUnsafeSysctls: ['vm.swappiness'] })).toThrow(
    expect.objectContaining({ code: 'InvalidOption', details: { field: 'allowedUnsafeSysctls' } }),
  );
});
