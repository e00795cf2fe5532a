import { type Container, NodeAgentError, type Pod } from '@nodeagent/api';
import { formatPod } from '@nodeagent/api/helpers';
import { runtimeManagerErrorCodes } from '../errors.js';

/** The user that an image sets: a number, a name, or undefined without an image service. */
export type ImageUser = { uid: bigint; username?: undefined } | { uid?: undefined; username: string } | undefined;

/** Throws CreateContainerConfigError if a container with `runAsNonRoot` runs, or may run, as root. */
export function verifyRunAsNonRoot(pod: Pod, container: Container, imageUser: ImageUser): void {
  const { runAsNonRoot, runAsUser } = effectiveUser(pod, container);
  if (!runAsNonRoot) return;
  const where = `(pod: "${formatPod(pod)}", container: ${container.name})`;
  if (runAsUser !== undefined) {
    if (!isRoot(BigInt(runAsUser))) return;
    throw refused(`container's runAsUser breaks non-root policy ${where}`, 'Set runAsUser to a number other than 0.');
  }
  const hint = 'Set runAsUser to a number other than 0, or use an image whose USER is one.';
  if (imageUser === undefined) throw refused(`container has runAsNonRoot and the image's user is not known ${where}`, hint);
  if (imageUser.uid !== undefined && isRoot(imageUser.uid))
    throw refused(`container has runAsNonRoot and image will run as root ${where}`, hint);
  if (imageUser.username !== undefined) {
    throw refused(
      `container has runAsNonRoot and image has non-numeric user (${imageUser.username}), cannot verify user is non-root ${where}`,
      hint,
    );
  }
}

/** The kernel's user ids have 32 bits: a runtime that does not check the others runs user 4294967296 as root (CVE-2024-40635). */
const isRoot = (uid: bigint) => BigInt.asUintN(32, uid) === 0n;

/** The effective user fields: the container's, else the pod's. A null of a source that does not remove these is an absent field. */
export function effectiveUser(
  pod: Pod,
  container: Container,
): { runAsUser: number | undefined; runAsGroup: number | undefined; runAsNonRoot: boolean | undefined } {
  const [own, ofPod] = [container.securityContext, pod.spec?.securityContext];
  return {
    runAsUser: own?.runAsUser ?? ofPod?.runAsUser ?? undefined,
    runAsGroup: own?.runAsGroup ?? ofPod?.runAsGroup ?? undefined,
    runAsNonRoot: own?.runAsNonRoot ?? ofPod?.runAsNonRoot,
  };
}

function refused(message: string, hint: string): NodeAgentError {
  return new NodeAgentError(runtimeManagerErrorCodes.createContainerConfig, message, { hint });
}
