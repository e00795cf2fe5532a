import { NodeAgentError } from '@nodeagent/api';
import { imageErrorCodes } from './errors.js';

/** The parts of a registry address that are matched. */
export interface RegistryUrl {
  /** With brackets and port, as written. */
  host: string;
  /** With its leading slash, or ''. */
  path: string;
}

const validHost = /^(?:\[[^[\]]*\]|[^[\]:]*)(?::[0-9]*)?$/;
const hostCharacters = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\uffff]|%[89A-Fa-f][0-9A-Fa-f])*$/;

/**
 * Parses `host[:port][/path]`. A scheme is not recognised: `https://x` is the host `https:` and the path `//x`. Throws
 * `InvalidPullCredentials` if the address is invalid.
 */
export function parseRegistryUrl(text: string): RegistryUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) throw invalid(text, 'control character');
  const [reference = ''] = text.split(/[?#]/, 1);
  const slash = reference.indexOf('/');
  const authority = slash < 0 ? reference : reference.slice(0, slash);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (!validHost.test(host) || !hostCharacters.test(host)) throw invalid(text, 'invalid host');
  return { host, path: slash < 0 ? '' : decoded(text, reference.slice(slash)) };
}

function decoded(text: string, path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw invalid(text, 'invalid escape', cause);
  }
}

function invalid(text: string, rule: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(imageErrorCodes.invalidPullCredentials, `registry address ${JSON.stringify(text)}: ${rule}`, {
    details: { text },
    cause,
  });
}

/**
 * Whether credentials with the address `key` match the repository: equal ports, each label of the host matches the key's (`*` matches any
 * text inside one label), and the key's path is a string prefix of the repository's. A key with a scheme matches nothing, and one that ends in
 * `/` does not match the bare registry. Throws `InvalidPullCredentials`.
 * Kubernetes documentation, "Images: interpretation of config.json".
 */
export function registryUrlMatches(key: string, repository: string): boolean {
  const [pattern, target] = [splitHost(parseRegistryUrl(key)), splitHost(parseRegistryUrl(repository))];
  return (
    pattern.port === target.port &&
    pattern.labels.length === target.labels.length &&
    target.path.startsWith(pattern.path) &&
    pattern.labels.every((label, index) => matchesGlob(label, target.labels[index] ?? ''))
  );
}

function splitHost({ host, path }: RegistryUrl): { labels: string[]; port: string; path: string } {
  const [, bracketed, plain = host, port = ''] = /^(?:\[([^\]]*)\]|([^:]*)):([0-9]*)$/.exec(host) ?? [];
  return { labels: (bracketed ?? plain).split('.'), port, path };
}

/**
 * `*` matches any text; there are no other wildcards. A bracketed address without port never matches. Looks for each part once, because a
 * pod's author chooses both texts: a regular expression takes exponential time for `*a*a*a*b`.
 */
function matchesGlob(pattern: string, text: string): boolean {
  if (pattern.startsWith('[')) return false;
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  let at = first.length;
  if (at > end || !text.startsWith(first) || !text.endsWith(last)) return false;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
