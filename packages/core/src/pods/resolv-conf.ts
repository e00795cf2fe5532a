import { NodeAgentError } from '@nodeagent/api';
import { coreErrorCodes } from '../errors.js';

/** A resolver's settings: the lines of a `resolv.conf`. */
export interface DnsConfig {
  servers: string[];
  searches: string[];
  /** `name` or `name:value`. */
  options: string[];
}

/** The longest resolver configuration that is read, in characters. */
const maxLength = 10 * 1024 * 1024;

/**
 * Reads a `resolv.conf` as the kubelet does: the last `search` line counts without its trailing dots, options accumulate by name, and only
 * `#` begins a comment. Throws `InvalidResolvConf`.
 */
export function parseResolvConf(text: string): DnsConfig {
  if (text.length > maxLength) throw invalid(`resolv.conf is longer than ${maxLength} bytes`);
  const servers: string[] = [];
  let searches: string[] = [];
  const options = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [keyword, ...fields] = line.trim().split(/\s+/);
    if (keyword === undefined || keyword === '' || keyword.startsWith('#')) continue;
    if (keyword === 'nameserver') {
      const [server] = fields;
      if (server === undefined) throw invalid('nameserver list is empty ');
      servers.push(server);
    } else if (keyword === 'search') {
      searches = fields.filter((domain) => domain !== '.').map((domain) => (domain.endsWith('.') ? domain.slice(0, -1) : domain));
    } else if (keyword === 'options') {
      for (const option of fields) options.set(option.split(':', 1)[0] ?? option, option);
    }
  }
  return { servers, searches, options: Array.from(options.values()) };
}

function invalid(message: string): NodeAgentError {
  return new NodeAgentError(coreErrorCodes.invalidResolvConf, message, { hint: 'correct the file that resolvConf names' });
}
