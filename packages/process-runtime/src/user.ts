import type { LinuxContainerSecurityContext, LinuxContainerUser } from '@nodeagent/cri-api';
import { invalidArgument } from './errors.js';

/** The numeric ids of a user and its group. */
export interface Identity {
  uid: number;
  gid: number;
}

/**
 * The user of a container: from its security context, else the runtime's user. Without a group it is the user's group in /etc/passwd; a
 * user without an entry there gets the group with its own number, never group 0 of this machine.
 *
 * @param own - the runtime's user
 * @param passwd - the text of /etc/passwd
 * @throws NodeAgentError CRI_INVALID_ARGUMENT if another user is requested and the runtime is not root, or a name is unknown
 */
export function resolveUser(
  container: string,
  context: LinuxContainerSecurityContext | undefined,
  own: Identity,
  passwd: string,
): Identity {
  const wanted = wantedUser(container, context, own, passwd);
  if (own.uid !== 0 && (wanted.uid !== own.uid || wanted.gid !== own.gid)) {
    const field = wanted.uid === own.uid ? 'run_as_group' : 'run_as_user';
    throw invalidArgument(
      field,
      `container "${container}" asks for user ${wanted.uid} and group ${wanted.gid}, but the embedded runtime runs as user ${own.uid} ` +
        `and group ${own.gid} and only root can run processes as another user`,
    );
  }
  return wanted;
}

/** The user in a container's status. */
export function statusUser({ uid, gid }: Identity): LinuxContainerUser {
  return { uid: BigInt(uid), gid: BigInt(gid), supplementalGroups: [] };
}

function wantedUser(container: string, context: LinuxContainerSecurityContext | undefined, own: Identity, passwd: string): Identity {
  const group = context?.runAsGroup === undefined ? undefined : Number(context.runAsGroup.value);
  const name = context?.runAsUsername;
  if (name !== undefined && name !== '') {
    const entry = passwdEntries(passwd).find((each) => each.name === name);
    if (entry === undefined)
      throw invalidArgument('run_as_username', `container "${container}": unable to find user ${name} in /etc/passwd`);
    return { uid: entry.uid, gid: group ?? entry.gid };
  }
  if (context?.runAsUser === undefined) return { uid: own.uid, gid: group ?? own.gid };
  const uid = Number(context.runAsUser.value);
  if (uid === own.uid) return { uid, gid: group ?? own.gid };
  return { uid, gid: group ?? passwdEntries(passwd).find((each) => each.uid === uid)?.gid ?? uid };
}

function passwdEntries(passwd: string): { name: string; uid: number; gid: number }[] {
  return passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
