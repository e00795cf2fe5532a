import { describe, expect, it } from 'vitest';
import type { OciSeccomp } from '../oci-spec.js';
import { containerSeccomp } from './container-seccomp.js';
import { defaultSeccompProfile } from './default-profile.js';
import { parseSeccompProfile } from './local-profile.js';

const rulesOf = ({ syscalls = [] }: OciSeccomp, name: string) => syscalls.filter(({ names }) => names.includes(name));
const isAllowed = (profile: OciSeccomp, name: string) =>
  rulesOf(profile, name).some(({ action, args }) => action === 'SCMP_ACT_ALLOW' && args === undefined);

describe('defaultSeccompProfile', () => {
  const plain = defaultSeccompProfile([], 'amd64');

  it('denies by default, on all architectures that the kernel runs', () => {
    expect(plain).toMatchObject({
      defaultAction: 'SCMP_ACT_ERRNO',
      architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86', 'SCMP_ARCH_X32'],
    });
    expect(defaultSeccompProfile([], 'arm64').architectures).toEqual(['SCMP_ARCH_AARCH64', 'SCMP_ARCH_ARM']);
    expect(defaultSeccompProfile([], 'riscv64').architectures).toBeUndefined();
  });

  it('names each system call once in a list', () => {
    const all = defaultSeccompProfile(['CAP_SYS_ADMIN', 'CAP_SYSLOG', 'CAP_BPF', 'CAP_PERFMON'], 'amd64');
    for (const { names } of all.syscalls ?? []) expect(new Set(names).size).toBe(names.length);
    expect(all.syscalls?.flatMap(({ names }) => names).every((name) => /^[a-z0-9_]+$/.test(name))).toBe(true);
  });

  it.each(['read', 'openat2', 'futex', 'execve', 'ptrace', 'mount_setattr', 'keyctl', 'bpf', 'reboot', 'userfaultfd', 'io_uring_setup'])(
    'decides about %s',
    (name) => {
      expect(isAllowed(plain, name)).toBe(['read', 'openat2', 'futex', 'execve', 'ptrace'].includes(name));
    },
  );

  it.each([
    ['CAP_SYS_ADMIN', 'mount'],
    ['CAP_SYS_BOOT', 'reboot'],
    ['CAP_SYS_CHROOT', 'chroot'],
    ['CAP_SYSLOG', 'syslog'],
    ['CAP_BPF', 'bpf'],
  ])('%s allows %s', (capability, name) => {
    expect(isAllowed(plain, name)).toBe(false);
    expect(isAllowed(defaultSeccompProfile([capability], 'amd64'), name)).toBe(true);
  });

  it('allows clone without new namespaces, and has clone3 missing', () => {
    const mask = { value: 0x7e020000, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' };
    expect(rulesOf(plain, 'clone')).toEqual([{ names: ['clone'], action: 'SCMP_ACT_ALLOW', args: [{ index: 0, ...mask }] }]);
    expect(rulesOf(plain, 'clone3')).toEqual([{ names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 }]);
    expect(rulesOf(defaultSeccompProfile([], 's390x'), 'clone')[0]?.args?.[0]?.index).toBe(1);
    const allow = (name: string) => [{ action: 'SCMP_ACT_ALLOW', names: expect.arrayContaining([name]) }];
    for (const name of ['clone', 'clone3']) expect(rulesOf(defaultSeccompProfile(['CAP_SYS_ADMIN'], 'amd64'), name)).toEqual(allow(name));
  });

  it('allows sockets but vsocks, and harmless personalities', () => {
    expect(rulesOf(plain, 'socket').map(({ args }) => args)).toEqual([[{ index: 0, value: 40, op: 'SCMP_CMP_NE' }]]);
    expect(rulesOf(plain, 'personality').flatMap(({ args = [] }) => args.map(({ value }) => value))).toEqual([
      0, 8, 0x20000, 0x20008, 0xffffffff,
    ]);
  });
});

describe('containerSeccomp', () => {
  const machine = { hasSeccomp: true, architecture: 'amd64' };
  const local = { profileType: 'Localhost' as const, localhostRef: '/profiles/a.json' };

  it('is the default, a file, or none', () => {
    expect(containerSeccomp({ seccomp: {} }, [], machine)).toEqual(defaultSeccompProfile([], 'amd64'));
    expect(containerSeccomp({ seccomp: local }, [], machine, '{"defaultAction": "SCMP_ACT_ALLOW"}')).toEqual({
      defaultAction: 'SCMP_ACT_ALLOW',
      syscalls: [],
    });
    expect(containerSeccomp({}, [], machine)).toBeUndefined();
    expect(containerSeccomp({ seccomp: { profileType: 'Unconfined' } }, [], machine)).toBeUndefined();
    expect(containerSeccomp({ seccomp: {}, privileged: true }, [], machine)).toBeUndefined();
  });

  it('needs the file and a kernel that has it', () => {
    expect(() => containerSeccomp({ seccomp: local }, [], machine)).toThrow(
      'seccomp.localhost_ref: cannot read profile "/profiles/a.json"',
    );
    const without = { ...machine, hasSeccomp: false };
    expect(containerSeccomp({ seccomp: {} }, [], without)).toBeUndefined();
    expect(() => containerSeccomp({ seccomp: local }, [], without, '{}')).toThrow('this machine has no seccomp');
  });
});

describe('parseSeccompProfile', () => {
  it('reads profiles of the OCI specification', () => {
    const profile = {
      defaultAction: 'SCMP_ACT_ERRNO',
      defaultErrnoRet: 38,
      architectures: ['SCMP_ARCH_X86_64'],
      flags: ['SECCOMP_FILTER_FLAG_LOG'],
      listenerPath: '/run/l.sock',
      listenerMetadata: 'x',
      syscalls: [
        { names: ['read'], action: 'SCMP_ACT_ALLOW', args: [] },
        { names: ['kill'], action: 'SCMP_ACT_ERRNO', errnoRet: 1, args: [{ index: 1, value: 9, valueTwo: 0, op: 'SCMP_CMP_EQ' }] },
      ],
    };
    expect(parseSeccompProfile(JSON.stringify(profile))).toEqual(profile);
  });

  it.each([
    ['nothing', 'content is not JSON'],
    ['[]', 'content must be an object'],
    ['{}', 'defaultAction must be one of SCMP_ACT_KILL'],
    ['{"defaultAction": "SCMP_ACT_ALLOW", "archMap": []}', 'content has the member "archMap"'],
    ['{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": [], "action": "SCMP_ACT_LOG"}]}', 'syscalls[0].names must not be empty'],
    ['{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["a"], "action": "x"}]}', 'syscalls[0].action must be one of'],
    [
      '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["a"], "action": "SCMP_ACT_LOG", "args": [{"index": 6}]}]}',
      'syscalls[0].args[0].index must be from 0 to 5',
    ],
    [
      '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["a"], "action": "SCMP_ACT_LOG", "includes": {}}]}',
      'syscalls[0] has the member "includes"',
    ],
    ['{"defaultAction": "SCMP_ACT_ALLOW", "defaultErrnoRet": -1}', 'defaultErrnoRet must be a whole number from 0'],
  ])('refuses %s', (text, problem) => {
    expect(() => parseSeccompProfile(text)).toThrow(`invalid seccomp profile: ${problem}`);
  });
});
