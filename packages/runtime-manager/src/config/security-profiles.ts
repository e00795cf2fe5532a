import { type Container, type LocalProfile, NodeAgentError, type Pod } from '@nodeagent/api';
import { isAbsolute, join } from '@nodeagent/api/helpers';
import type { SecurityProfile } from '@nodeagent/cri-api';
import { runtimeManagerErrorCodes } from '../errors.js';

const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';

/** A container's seccomp profile: its own, else the pod's, else the default. Kubernetes documentation, "Seccomp". */
export function seccompProfile(
  pod: Pod,
  container: Container,
  { seccompDir, seccompDefault }: { seccompDir: string; seccompDefault: boolean },
): SecurityProfile {
  const profile = container.securityContext?.seccompProfile ?? pod.spec?.securityContext?.seccompProfile;
  switch (profile?.type) {
    case 'RuntimeDefault':
      return { profileType: 'RuntimeDefault' };
    case 'Localhost':
      if (!profile.localhostProfile) throw configError('localhostProfile must be set if seccompProfile type is Localhost.');
      if (isAbsolute(profile.localhostProfile) || profile.localhostProfile.split('/').includes('..')) {
        throw configError(`localhostProfile "${profile.localhostProfile}" must be a path below the folder of seccomp profiles`);
      }
      return { profileType: 'Localhost', localhostRef: join(seccompDir, profile.localhostProfile) };
    case undefined:
      return { profileType: seccompDefault ? 'RuntimeDefault' : 'Unconfined' };
    default:
      return { profileType: 'Unconfined' };
  }
}

/**
 * A container's AppArmor profile: its own, else that of the deprecated annotation, else the pod's. `deprecated` is the profile in the
 * CRI's deprecated field, for older runtimes. Kubernetes documentation, "AppArmor".
 */
export function appArmorProfile(pod: Pod, container: Container): { profile: SecurityProfile; deprecated: string } | undefined {
  const profile =
    container.securityContext?.appArmorProfile ?? annotatedProfile(pod, container) ?? pod.spec?.securityContext?.appArmorProfile;
  if (!profile) return undefined;
  switch (profile.type) {
    case 'RuntimeDefault':
      return { profile: { profileType: 'RuntimeDefault' }, deprecated: 'runtime/default' };
    case 'Unconfined':
      return { profile: { profileType: 'Unconfined' }, deprecated: 'unconfined' };
    case 'Localhost':
      if (!profile.localhostProfile) throw configError('missing localhost apparmor profile name');
      return {
        profile: { profileType: 'Localhost', localhostRef: profile.localhostProfile },
        deprecated: `localhost/${profile.localhostProfile}`,
      };
    default:
      throw configError(`invalid apparmor profile type: "${profile.type}"`);
  }
}

function annotatedProfile(pod: Pod, container: Container): LocalProfile | undefined {
  const value = pod.metadata?.annotations?.[appArmorAnnotation + container.name];
  if (value === 'runtime/default') return { type: 'RuntimeDefault' };
  if (value === 'unconfined') return { type: 'Unconfined' };
  if (value?.startsWith('localhost/')) return { type: 'Localhost', localhostProfile: value.slice('localhost/'.length) };
  return undefined;
}

function configError(message: string): NodeAgentError {
  return new NodeAgentError(runtimeManagerErrorCodes.createContainerConfig, message);
}
