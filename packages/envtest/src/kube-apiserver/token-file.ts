import type { RequestUser } from '@nodeagent/test-api-server';
import { invalidFlag } from '../flags/go-flags.js';

/**
 * The users of a file of static tokens: `token,user,uid,"group1,group2"`. Kubernetes documentation, "Authenticating: Static token file".
 *
 * @throws NodeAgentError `InvalidFlag` for a line with fewer than three columns
 */
export function readTokenFile({ path, text }: { path: string; text: string }): Record<string, RequestUser> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line, index) => {
      const [token = '', username = '', uid = '', groups = ''] = columnsOf(line);
      if (!token || !username || !uid) {
        throw invalidFlag(`token file '${path}' must have at least 3 columns (token, user name, user uid), line ${index + 1}`);
      }
      return [token, { username, uid, groups: groups.split(',').filter(Boolean) }];
    }),
  );
}

/** The columns of a line of CSV (RFC 4180). */
function columnsOf(line: string): string[] {
  const columns = line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g);
  return Array.from(columns, ([, quoted, plain = '']) => (quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')));
}
