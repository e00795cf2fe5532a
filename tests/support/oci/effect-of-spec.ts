import type { OciSeccomp, OciSpec } from '@nodeagent/oci-runtime/decisions';

/**
 * What a specification does, in a form in which two that do the same are equal: sets are sorted, absent members are the default, namespaces
 * are new or joined, and paths that each runtime chooses are left out.
 */
export function effectOfSpec(spec: OciSpec): object {
  const { process, linux, mounts, root } = spec;
  const { bounding = [], effective = [], permitted = [], inheritable = [], ambient = [] } = process.capabilities ?? {};
  const sets = { bounding, effective, permitted, inheritable, ambient };
  return {
    args: process.args,
    env: process.env,
    cwd: process.cwd,
    terminal: process.terminal ?? false,
    user: { ...process.user, additionalGids: [...(process.user.additionalGids ?? [])].sort((a, b) => a - b) },
    noNewPrivileges: process.noNewPrivileges ?? false,
    oomScoreAdj: process.oomScoreAdj,
    rlimits: process.rlimits ?? [],
    capabilities: Object.fromEntries(Object.entries(sets).map(([name, set]) => [name, [...set].sort()])),
    readonlyRoot: root.readonly ?? false,
    mounts: Object.fromEntries(mounts.map(({ destination, type, options }) => [destination, [type, ...[...options].sort()].join(' ')])),
    namespaces: linux.namespaces.map(({ type, path }) => `${type} ${path === undefined ? 'new' : 'joined'}`).sort(),
    masked: [...(linux.maskedPaths ?? [])].sort(),
    readonly: [...(linux.readonlyPaths ?? [])].sort(),
    devices: (linux.devices ?? []).map(({ path, type, major, minor }) => `${path} ${type} ${major}:${minor}`).sort(),
    limits: { memory: linux.resources.memory, cpu: linux.resources.cpu },
    seccomp: linux.seccomp && effectOfSeccomp(linux.seccomp),
  };
}

/** The rules by system call. One without arguments makes others of the same action needless. */
function effectOfSeccomp({ defaultAction, architectures = [], syscalls = [] }: OciSeccomp): object {
  const rules = new Map<string, Set<string>>();
  for (const { names, action, errnoRet, args } of syscalls) {
    const conditions = (args ?? []).map(({ index, value, valueTwo = 0, op }) => `${index} ${op} ${value} ${valueTwo}`);
    for (const name of names) rules.set(name, (rules.get(name) ?? new Set()).add([action, errnoRet ?? '', ...conditions].join(' ').trim()));
  }
  const always = 'SCMP_ACT_ALLOW';
  const entries = [...rules].map(([name, of]) => [name, of.has(always) ? always : [...of].sort().join(', ')] as const);
  return {
    defaultAction,
    architectures: [...architectures].sort(),
    syscalls: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
