import type { LinuxContainerSecurityContext } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import type { OciCapabilities } from './oci-spec.js';

/** All capabilities in the order of their numbers: linux/capability.h. */
const capabilities = `
  CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST NET_ADMIN
  NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME
  SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF
  CHECKPOINT_RESTORE`
  .trim()
  .split(/\s+/)
  .map((name) => `CAP_${name}`);

/** The capabilities of a container that requests none: those of Docker and containerd. */
const defaultCapabilities = `
  CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL AUDIT_WRITE`
  .trim()
  .split(/\s+/)
  .map((name) => `CAP_${name}`);

/** The names in a set of capabilities, as `/proc/PID/status` has it: `000001ffffffffff`. Unknown bits are left out. */
export function capabilityNames(mask: string): string[] {
  const bits = BigInt(`0x${mask.trim()}`);
  return capabilities.filter((_, number) => (bits >> BigInt(number)) & 1n);
}

/**
 * The capabilities of a container: the default set with `add` and without `drop`, where `ALL` counts first; all of the machine for a
 * privileged container. Ambient capabilities are inheritable too, as the kernel demands. The inheritable set has no others: CVE-2022-24769.
 *
 * @param available - those that containers can get on this machine
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a name that is unknown, or not available
 */
export function containerCapabilities(
  { capabilities: request = {}, privileged = false }: Pick<LinuxContainerSecurityContext, 'capabilities' | 'privileged'>,
  available: readonly string[],
): OciCapabilities {
  const add = namesOf('capabilities.add_capabilities', request.addCapabilities);
  const drop = namesOf('capabilities.drop_capabilities', request.dropCapabilities);
  const ambient = namesOf('capabilities.add_ambient_capabilities', request.addAmbientCapabilities);
  const missing = privileged ? undefined : [...add, ...ambient].find((name) => name !== all && !available.includes(name));
  if (missing !== undefined) throw invalidArgument('capabilities', `${missing} cannot be added: the machine does not have it`);
  const given = new Set(privileged ? available : baseSet(add, drop, available));
  if (!privileged) {
    for (const name of [...add, ...ambient]) given.add(name);
    for (const name of drop) given.delete(name);
  }
  const names = capabilities.filter((name) => given.has(name));
  const raised = names.filter((name) => ambient.includes(name) || ambient.includes(all));
  return { bounding: names, effective: names, permitted: names, inheritable: raised, ambient: raised };
}

const all = 'ALL';

function baseSet(add: readonly string[], drop: readonly string[], available: readonly string[]): readonly string[] {
  if (drop.includes(all)) return [];
  return add.includes(all) ? available : defaultCapabilities.filter((name) => available.includes(name));
}

/** The names with their prefix, which requests may leave out; in any case. */
function namesOf(field: string, requested: readonly string[] = []): string[] {
  return requested.map((given) => {
    const upper = given.toUpperCase();
    if (upper === all) return all;
    const name = upper.startsWith('CAP_') ? upper : `CAP_${upper}`;
    if (!capabilities.includes(name)) throw invalidArgument(field, `unknown capability "${given}"`);
    return name;
  });
}
