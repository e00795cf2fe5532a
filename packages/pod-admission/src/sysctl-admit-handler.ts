import { invalidOption, type Pod } from '@nodeagent/api';
import { quoteText } from '@nodeagent/api/helpers';
import type { PredicateAdmitAttributes, PredicateAdmitResult } from './predicate-admit-handler.js';

export interface SysctlAdmitHandlerOptions {
  /** Further sysctls that pods may set: names, or prefixes with `*` (`kernel.msg*`). Default none. */
  allowedUnsafeSysctls?: readonly string[];
  /** Release of the kernel, such as `6.1.0-13`: older kernels do not namespace all safe sysctls. Default: a kernel that does. */
  kernelVersion?: string;
}

/** The sysctls that any pod may set, with the first kernel that namespaces them. */
const safeSysctls: readonly (readonly [name: string, kernel: string])[] = [
  ['kernel.shm_rmid_forced', '0'],
  ['net.ipv4.ip_local_port_range', '0'],
  ['net.ipv4.tcp_syncookies', '0'],
  ['net.ipv4.ping_group_range', '0'],
  ['net.ipv4.ip_unprivileged_port_start', '0'],
  ['net.ipv4.ip_local_reserved_ports', '3.16'],
  ['net.ipv4.tcp_keepalive_time', '4.5'],
  ['net.ipv4.tcp_fin_timeout', '4.6'],
  ['net.ipv4.tcp_keepalive_intvl', '4.5'],
  ['net.ipv4.tcp_keepalive_probes', '4.5'],
  ['net.ipv4.tcp_rmem', '4.15'],
  ['net.ipv4.tcp_wmem', '4.15'],
];

/**
 * Creates a handler that rejects pods with sysctls that the node does not allow (`SysctlForbidden`). Kubernetes documentation, "Using
 * sysctls in a Kubernetes Cluster". Throws `InvalidOption` for a sysctl without a namespace, which would apply to the whole node.
 */
export function createSysctlAdmitHandler(options: SysctlAdmitHandlerOptions = {}) {
  const { allowedUnsafeSysctls = [], kernelVersion } = options;
  const patterns = allowedUnsafeSysctls.map(normalizeSysctl);
  for (const pattern of patterns) {
    if (sysctlNamespace(pattern) === undefined) throw invalidOption('allowedUnsafeSysctls', 'sysctls that a pod has to itself', pattern);
  }
  const safe = safeSysctls.filter(([, kernel]) => kernelVersion === undefined || isAtLeast(kernelVersion, kernel)).map(([name]) => name);
  const allowed = [...safe, ...patterns];
  return {
    admit({ pod }: PredicateAdmitAttributes): PredicateAdmitResult {
      const problem = sysctlProblem(pod, allowed);
      return problem === undefined ? { admit: true } : { admit: false, reason: 'SysctlForbidden', message: `forbidden sysctl: ${problem}` };
    },
  };
}

/** Why the pod's first forbidden sysctl is forbidden; undefined if all are allowed. A pattern ends with `*`. */
export function sysctlProblem(pod: Pod, allowed: readonly string[]): string | undefined {
  const { hostNetwork = false, hostIPC = false, securityContext } = pod.spec ?? {};
  for (const { name } of securityContext?.sysctls ?? []) {
    const sysctl = normalizeSysctl(name);
    if (!allowed.some((pattern) => matches(sysctl, pattern))) return `${quoteText(sysctl)} not allowlisted`;
    const namespace = sysctlNamespace(sysctl);
    if (namespace === 'ipc' && hostIPC) return `${quoteText(sysctl)} not allowed with host ipc enabled`;
    if (namespace === 'net' && hostNetwork) return `${quoteText(sysctl)} not allowed with host net enabled`;
  }
  return undefined;
}

function matches(sysctl: string, pattern: string): boolean {
  return pattern.endsWith('*') ? sysctl.startsWith(pattern.slice(0, -1)) : sysctl === pattern;
}

/** The kernel namespace of a sysctl; undefined if the sysctl applies to the whole machine. */
function sysctlNamespace(sysctl: string): 'ipc' | 'net' | undefined {
  if (sysctl.startsWith('net.')) return 'net';
  return sysctl === 'kernel.sem' || /^(kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(sysctl) ? 'ipc' : undefined;
}

/** The name with dots between its parts. sysctl.d(5): the first `.` or `/` is the separator; the other stands for it within a part. */
function normalizeSysctl(name: string): string {
  const first = name.search(/[./]/);
  if (first < 0 || name[first] === '.') return name;
  return name.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.'));
}

function isAtLeast(release: string, wanted: string): boolean {
  const numbers = (text: string) => text.split(/[.-]/, 2).map((part) => Number.parseInt(part, 10) || 0);
  const [major = 0, minor = 0] = numbers(release);
  const [wantedMajor = 0, wantedMinor = 0] = numbers(wanted);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
