import type { RequestUser } from '../access/user.js';
import type { ApiRequest } from '../requests/request.js';

/** Bytes that are no token characters (RFC 9110, section 5.6.2), and the percent sign. */
const escaped = /[^!#$&'*+\-.^_`|~0-9A-Za-z]/gu;

const headerName = (key: string) =>
  key.replace(escaped, (character) =>
    [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );

/**
 * The headers of a request to an aggregated API server: those of the client without its own claims about users, and the user that this server
 * has authenticated. Several values are lines. Kubernetes documentation, "Configure the Aggregation Layer: Original Request Username and Group".
 */
export function withUser(headers: NonNullable<ApiRequest['headers']>, user: RequestUser): NonNullable<ApiRequest['headers']> {
  const { username, uid, groups = [], extra = {} } = user;
  const kept = Object.entries(headers).filter(([name]) => !/^(x-remote-|impersonate-)/.test(name));
  return {
    ...Object.fromEntries(kept),
    'x-remote-user': username,
    ...(uid && { 'x-remote-uid': uid }),
    ...(groups.length > 0 && { 'x-remote-group': groups.join('\n') }),
    ...Object.fromEntries(Object.entries(extra).map(([key, values]) => [`x-remote-extra-${headerName(key)}`, values.join('\n')])),
  };
}
