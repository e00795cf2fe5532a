import type { OciSeccomp, OciSyscallArgument, OciSyscallRule } from '../oci-spec.js';
import { allowedByArchitecture, allowedByCapability, alwaysAllowed, namesIn } from './syscall-groups.js';

/** Architectures of seccomp by Go's name of the machine's: also those whose programs its kernel runs. */
const architectures: Readonly<Record<string, readonly string[]>> = {
  amd64: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86', 'SCMP_ARCH_X32'],
  arm64: ['SCMP_ARCH_AARCH64', 'SCMP_ARCH_ARM'],
  mips64: ['SCMP_ARCH_MIPS', 'SCMP_ARCH_MIPS64', 'SCMP_ARCH_MIPS64N32'],
  mips64n32: ['SCMP_ARCH_MIPS', 'SCMP_ARCH_MIPS64', 'SCMP_ARCH_MIPS64N32'],
  mipsel64: ['SCMP_ARCH_MIPSEL', 'SCMP_ARCH_MIPSEL64', 'SCMP_ARCH_MIPSEL64N32'],
  mipsel64n32: ['SCMP_ARCH_MIPSEL', 'SCMP_ARCH_MIPSEL64', 'SCMP_ARCH_MIPSEL64N32'],
  s390x: ['SCMP_ARCH_S390X', 'SCMP_ARCH_S390'],
};

/** Flags of clone(2) that make namespaces: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const namespaceFlags = 0x7e02_0000;
const addressFamilyVsock = 40;
/** personality(2): Linux, Linux with the old uname, BSD-like reads of page 0 off, both, and the query for the current one. */
const personalities = [0x0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff];
const enosys = 38;

const allow = (names: readonly string[], ...args: OciSyscallArgument[]): OciSyscallRule => ({
  names,
  action: 'SCMP_ACT_ALLOW',
  ...(args.length > 0 && { args }),
});

/**
 * The seccomp profile `RuntimeDefault`: an allow list that fails other calls with EPERM, equal in effect to that of containerd. A
 * capability allows the calls that it is for.
 *
 * @param capabilities - the bounding set of the container
 * @param architecture - as Go names it: `amd64`
 */
export function defaultSeccompProfile(capabilities: readonly string[], architecture: string): OciSeccomp {
  const granted = capabilities.flatMap((name) => allowedByCapability[name] ?? []);
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    ...(architectures[architecture] && { architectures: architectures[architecture] }),
    syscalls: [
      allow([...new Set([...alwaysAllowed, ...(allowedByArchitecture[architecture] ?? []), ...granted])]),
      // A vsock reaches the hypervisor, whatever network namespace the container has.
      allow(['socket'], { index: 0, value: addressFamilyVsock, op: 'SCMP_CMP_NE' }),
      ...personalities.map((value) => allow(['personality'], { index: 0, value, op: 'SCMP_CMP_EQ' })),
      ...(capabilities.includes('CAP_SYS_ADMIN') ? [] : withoutNamespaces(architecture)),
    ],
  };
}

/** clone(2) without new namespaces. clone3(2) passes its flags in memory, which seccomp cannot read: with ENOSYS libraries use clone. */
function withoutNamespaces(architecture: string): OciSyscallRule[] {
  const index = architecture === 's390x' ? 1 : 0;
  return [
    allow(['clone'], { index, value: namespaceFlags, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }),
    { names: namesIn('clone3'), action: 'SCMP_ACT_ERRNO', errnoRet: enosys },
  ];
}
