import type { LinuxContainerSecurityContext } from '@nodeagent/cri-api';
import { invalidArgument } from '../../errors.js';
import type { OciMachine } from '../machine.js';
import type { OciSeccomp } from '../oci-spec.js';
import { defaultSeccompProfile } from './default-profile.js';
import { parseSeccompProfile } from './local-profile.js';

/**
 * The seccomp filter of a container; undefined if it has none: without a profile in the request, with `Unconfined`, and if it is privileged.
 * Kubernetes, "Seccomp and Kubernetes".
 *
 * @param localProfile - the text of the file that `localhostRef` names
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a profile on a machine without seccomp, `InvalidSeccompProfile` for its content
 */
export function containerSeccomp(
  { seccomp, privileged = false }: Pick<LinuxContainerSecurityContext, 'seccomp' | 'privileged'>,
  capabilities: readonly string[],
  { hasSeccomp, architecture }: Pick<OciMachine, 'hasSeccomp' | 'architecture'>,
  localProfile?: string,
): OciSeccomp | undefined {
  const profileType = seccomp === undefined ? 'Unconfined' : (seccomp.profileType ?? 'RuntimeDefault');
  if (privileged || profileType === 'Unconfined') return undefined;
  if (!hasSeccomp) {
    if (profileType === 'RuntimeDefault') return undefined;
    throw invalidArgument('seccomp', `profile "${seccomp?.localhostRef}" cannot be used: this machine has no seccomp`);
  }
  if (profileType === 'RuntimeDefault') return defaultSeccompProfile(capabilities, architecture);
  if (localProfile === undefined) throw invalidArgument('seccomp.localhost_ref', `cannot read profile "${seccomp?.localhostRef ?? ''}"`);
  return parseSeccompProfile(localProfile);
}
