import type { ApiRequest } from '../requests/request.js';
import { badRequest } from '../status.js';
import { type Authorizer, requireAccess } from './authorizer.js';
import type { RequestUser } from './user.js';

const extraPrefix = 'impersonate-extra-';
const serviceAccount = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** What a request impersonates; a header with several values has them between commas. */
interface Impersonation {
  username: string;
  uid?: string;
  groups: string[];
  extra: Record<string, string[]>;
}

/**
 * The user as whom a request acts: the one in its headers, else its own. Throws 400 for headers without a user, and 403 if the request's
 * user must not impersonate. Kubernetes documentation, "User Impersonation".
 */
export function impersonated({ headers = {} }: ApiRequest, user: RequestUser, authorize: Authorizer): RequestUser {
  const asked = impersonationIn(headers);
  if (asked === undefined) return user;
  for (const attributes of attributesOf(asked)) requireAccess(authorize, { ...attributes, isResource: true, user, verb: 'impersonate' });
  const { username, uid, groups, extra } = asked;
  return {
    username,
    ...(uid !== undefined && { uid }),
    groups: withSystemGroup(username, groups.length > 0 ? groups : accountGroups(username)),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function impersonationIn(headers: Readonly<Record<string, string | undefined>>): Impersonation | undefined {
  const names = Object.keys(headers).filter((name) => name.startsWith('impersonate-'));
  if (names.length === 0) return undefined;
  const uid = headers['impersonate-uid'];
  const extra = names.filter((name) => name.startsWith(extraPrefix)).map((name) => [extraKey(name), values(headers[name])] as const);
  const groups = values(headers['impersonate-group']);
  const username = headers['impersonate-user'];
  if (username) return { username, ...(uid && { uid }), groups, extra: Object.fromEntries(extra) };
  if (uid || groups.length > 0 || extra.length > 0) throw badRequest(`requested [${names.join(' ')}] without impersonating a user`);
  return undefined;
}

const values = (header: string | undefined): string[] => (header ?? '').split(',').flatMap((value) => value.trim() || []);

/** Keys are escaped as parts of a URL's path. */
function extraKey(header: string): string {
  const key = header.slice(extraPrefix.length);
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** The resources that the caller needs the verb `impersonate` for. */
function attributesOf({ username, uid, groups, extra }: Impersonation) {
  const [, namespace, account] = serviceAccount.exec(username) ?? [];
  const authentication = { group: 'authentication.k8s.io', version: 'v1' };
  return [
    namespace && account
      ? { group: '', resource: 'serviceaccounts', namespace, name: account }
      : { group: '', resource: 'users', name: username },
    ...groups.map((name) => ({ group: '', resource: 'groups', name })),
    ...Object.entries(extra).flatMap(([subresource, names]) =>
      names.map((name) => ({ ...authentication, resource: 'userextras', subresource, name })),
    ),
    ...(uid === undefined ? [] : [{ ...authentication, resource: 'uids', name: uid }]),
  ];
}

/** The groups of a service account, which follow from its name. */
function accountGroups(username: string): string[] {
  const [, namespace] = serviceAccount.exec(username) ?? [];
  return namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

function withSystemGroup(username: string, groups: string[]): string[] {
  const isAnonymous = username === 'system:anonymous';
  const added = isAnonymous ? 'system:unauthenticated' : 'system:authenticated';
  const replaces = isAnonymous ? [added] : [added, 'system:unauthenticated'];
  return groups.some((group) => replaces.includes(group)) ? groups : [...groups, added];
}
