import type { LinuxContainerSecurityContext } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import { type GroupEntry, isId, maxId, type PasswdEntry, parseGroup, parsePasswd, type UserFiles } from './user-files.js';

/** The user of a container's first process. */
export interface ProcessUser {
  uid: number;
  gid: number;
  /** Further groups, in ascending order; with `gid` among them as containerd has it. */
  additionalGids: readonly number[];
}

type UserRequest = Pick<
  LinuxContainerSecurityContext,
  'runAsUser' | 'runAsGroup' | 'runAsUsername' | 'supplementalGroups' | 'supplementalGroupsPolicy'
>;

/**
 * The user and groups of a container, from its security context, else from the image. A name is looked up in the image's files. A user id
 * without an entry has group 0, as in other runtimes. Supplemental groups are those of the request and, with the policy Merge, those that
 * the image's /etc/group gives the user. CRI, `LinuxContainerSecurityContext`; OCI image specification, `config.User`.
 *
 * @param imageUser - `User` of the image configuration: `user`, `uid`, `user:group`, `uid:gid`, or mixed
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a user or group that the image does not have
 */
export function containerUser(request: UserRequest, imageUser: string, files: UserFiles): ProcessUser {
  const { runAsUser, runAsGroup, runAsUsername, supplementalGroups = [], supplementalGroupsPolicy = 'Merge' } = request;
  const isRequested = runAsUser !== undefined || (runAsUsername ?? '') !== '';
  if (runAsGroup !== undefined && !isRequested) {
    throw invalidArgument('run_as_group', 'needs run_as_user or run_as_username');
  }
  const passwd = parsePasswd(files.passwd);
  const groups = parseGroup(files.group);
  const [imageName = '', imageGroup = ''] = imageUser.split(':', 2);
  const wanted = runAsUser === undefined ? runAsUsername || imageName : String(checkId('run_as_user', runAsUser.value));
  const user = findUser(wanted, passwd);
  const gid = runAsGroup === undefined ? undefined : checkId('run_as_group', runAsGroup.value);
  const primary = gid ?? (isRequested || imageGroup === '' ? user.gid : findGroup(imageGroup, groups));
  const merged = supplementalGroupsPolicy === 'Merge' ? groups.filter(({ members }) => members.includes(user.name)) : [];
  const requested = supplementalGroups.map((group) => checkId('supplemental_groups', group));
  const additional = new Set([primary, ...requested, ...merged.map(({ gid }) => gid)]);
  return {
    uid: user.uid,
    gid: primary,
    additionalGids: [...additional].sort((a, b) => a - b),
  };
}

/** The user of a name or number. A number need not be in /etc/passwd. */
function findUser(wanted: string, passwd: readonly PasswdEntry[]): PasswdEntry {
  const isNumber = isId(wanted);
  const entry = passwd.find(({ name, uid }) => (isNumber ? uid === Number(wanted) : name === (wanted || 'root')));
  if (entry !== undefined) return entry;
  if (isNumber || wanted === '') return { name: '', uid: Number(wanted), gid: 0 };
  throw invalidArgument(
    'user',
    `unable to find user ${wanted}: no matching entries in passwd file`,
    'Set runAsUser to a number, or add the user to the image.',
  );
}

function findGroup(wanted: string, groups: readonly GroupEntry[]): number {
  if (isId(wanted)) return Number(wanted);
  const entry = groups.find(({ name }) => name === wanted);
  if (entry !== undefined) return entry.gid;
  throw invalidArgument(
    'user',
    `unable to find group ${wanted}: no matching entries in group file`,
    'Set runAsGroup to a number, or add the group to the image.',
  );
}

function checkId(field: string, id: bigint): number {
  if (id >= 0n && id <= BigInt(maxId)) return Number(id);
  throw invalidArgument(field, `${id} is not an id from 0 to ${maxId}`);
}
