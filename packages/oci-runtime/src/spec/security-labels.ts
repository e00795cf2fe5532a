import type { LinuxContainerSecurityContext, Mount, SELinuxOption, SecurityProfile } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import type { AppArmorFacts, SelinuxFacts } from './machine.js';

/**
 * The AppArmor profile of a container; undefined if it is not confined. Without a profile in the request it is the machine's default.
 * A privileged container is only confined by a profile that it names. Kubernetes, "Restrict a Container's Access to Resources with AppArmor".
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a named profile on a machine without AppArmor
 */
export function apparmorProfile(
  { apparmor, apparmorProfile: deprecated = '', privileged = false }: LinuxContainerSecurityContext,
  facts: AppArmorFacts | undefined,
): string | undefined {
  const { profileType = 'RuntimeDefault', localhostRef = '' } = apparmor ?? profileOf(deprecated);
  if (profileType === 'Unconfined') return undefined;
  if (profileType === 'RuntimeDefault') return privileged ? undefined : facts?.defaultProfile;
  const name = localhostRef.replace(/^localhost\//, '');
  if (name === '') throw invalidArgument('apparmor.localhost_ref', 'must name a profile');
  if (facts === undefined) throw invalidArgument('apparmor', `profile "${name}" cannot be used: this machine has no AppArmor`);
  return name;
}

/** A profile as kubelets before 1.30 named it: `runtime/default`, `unconfined` or `localhost/NAME`. */
function profileOf(name: string): SecurityProfile {
  if (name === '' || name === 'runtime/default') return {};
  if (name === 'unconfined') return { profileType: 'Unconfined' };
  return { profileType: 'Localhost', localhostRef: name };
}

/** The SELinux labels of a container's process and of its files. */
export interface SelinuxLabels {
  process: string;
  files: string;
}

/**
 * The SELinux labels of a container: the machine's with what the request changes. A privileged container has none unless it names a type.
 * Undefined without SELinux.
 */
export function selinuxLabels(
  options: SELinuxOption = {},
  privileged: boolean,
  facts: SelinuxFacts | undefined,
): SelinuxLabels | undefined {
  if (facts === undefined || (privileged && !options.type)) return undefined;
  const { user, role, type, level } = options;
  const label = (ofType: string, ofRole: string) => [user || facts.user, ofRole, ofType, level || facts.level].join(':');
  return { process: label(type || facts.processType, role || facts.role), files: label(facts.fileType, 'object_r') };
}

/** The paths of the host whose content gets the label of the container's files before it starts. */
export const relabeledPaths = (mounts: readonly Mount[]): string[] =>
  mounts.filter(({ selinuxRelabel }) => selinuxRelabel).map(({ hostPath = '' }) => hostPath);
