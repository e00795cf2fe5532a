import type { LocalProfile, PodSecurityContext, PodSpec, SecurityContext } from '@nodeagent/api';
import type { FieldProblems } from '../field-problem.js';
import { checkId, checkRelativePath } from './names.js';

const profileTypes = ['RuntimeDefault', 'Unconfined', 'Localhost'];

/** Source: Kubernetes documentation, "Configure a Security Context for a Pod or Container". */
export function checkContainerSecurity(
  field: string,
  context: SecurityContext | undefined,
  hostUsers: boolean,
  problems: FieldProblems,
): void {
  if (context === undefined) return;
  checkId(`${field}.runAsUser`, context.runAsUser, problems);
  checkId(`${field}.runAsGroup`, context.runAsGroup, problems);
  problems.oneOf(`${field}.procMount`, context.procMount, ['Default', 'Unmasked']);
  if (context.procMount === 'Unmasked' && hostUsers) {
    problems.invalid(`${field}.procMount`, 'Unmasked', '`hostUsers` must be false to use `Unmasked`');
  }
  if (context.allowPrivilegeEscalation === false) {
    const rule = (what: string) => `cannot set \`allowPrivilegeEscalation\` to false and ${what}`;
    if (context.privileged) problems.invalid(`${field}.allowPrivilegeEscalation`, false, rule('`privileged` to true'));
    if (context.capabilities?.add?.includes('CAP_SYS_ADMIN')) {
      problems.invalid(`${field}.allowPrivilegeEscalation`, false, rule('`capabilities.Add` CAP_SYS_ADMIN'));
    }
  }
  checkProfile(`${field}.seccompProfile`, context.seccompProfile, problems);
  checkProfile(`${field}.appArmorProfile`, context.appArmorProfile, problems);
}

/** The pod's own security context, and the namespaces it shares with the host. */
export function checkPodSecurity(spec: PodSpec, problems: FieldProblems): void {
  const field = 'spec.securityContext';
  const context: PodSecurityContext = spec.securityContext ?? {};
  checkId(`${field}.runAsUser`, context.runAsUser, problems);
  checkId(`${field}.runAsGroup`, context.runAsGroup, problems);
  checkId(`${field}.fsGroup`, context.fsGroup, problems);
  for (const [index, group] of (context.supplementalGroups ?? []).entries())
    checkId(`${field}.supplementalGroups[${index}]`, group, problems);
  problems.oneOf(`${field}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']);
  problems.oneOf(`${field}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, ['Merge', 'Strict']);
  problems.oneOf(`${field}.seLinuxChangePolicy`, context.seLinuxChangePolicy, ['Recursive', 'MountOption']);
  checkProfile(`${field}.seccompProfile`, context.seccompProfile, problems);
  checkProfile(`${field}.appArmorProfile`, context.appArmorProfile, problems);
  checkSysctls(`${field}.sysctls`, context, spec, problems);
  if (spec.shareProcessNamespace && spec.hostPID) {
    problems.invalid('spec.shareProcessNamespace', true, 'ShareProcessNamespace and HostPID cannot both be enabled');
  }
  if (spec.hostUsers !== false) return;
  for (const name of ['hostNetwork', 'hostPID', 'hostIPC'] as const) {
    if (spec[name]) problems.forbidden(`spec.${name}`, 'when `hostUsers` is false');
  }
}

function checkSysctls(field: string, { sysctls }: PodSecurityContext, spec: PodSpec, problems: FieldProblems): void {
  const seen = new Set<string>();
  for (const [index, { name }] of (sysctls ?? []).entries()) {
    const place = `${field}[${index}].name`;
    const dotted = name?.replaceAll('/', '.');
    if (!name) problems.required(place);
    else if (name.length > 253 || !/^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/.test(name)) {
      problems.invalid(place, name, 'must be the name of a sysctl, such as net.core.somaxconn');
    } else if (seen.has(dotted)) problems.duplicate(place, name);
    else if (spec.hostNetwork && dotted.startsWith('net.'))
      problems.invalid(place, name, 'may not be specified when `hostNetwork` is true');
    else if (spec.hostIPC && /^(kernel\.(shm|msg)|kernel\.sem$|fs\.mqueue\.)/.test(dotted)) {
      problems.invalid(place, name, 'may not be specified when `hostIPC` is true');
    }
    seen.add(dotted);
  }
}

function checkProfile(field: string, profile: LocalProfile | undefined, problems: FieldProblems): void {
  if (profile === undefined) return;
  if (!profile.type) problems.required(`${field}.type`);
  else problems.oneOf(`${field}.type`, profile.type, profileTypes);
  if (profile.type === 'Localhost') {
    if (profile.localhostProfile) checkRelativePath(`${field}.localhostProfile`, profile.localhostProfile, problems);
    else problems.required(`${field}.localhostProfile`, 'must be set when the type is Localhost');
  } else if (profile.localhostProfile) {
    problems.invalid(`${field}.localhostProfile`, profile.localhostProfile, 'can only be set when the type is Localhost');
  }
}
