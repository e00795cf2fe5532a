import { quoteText } from '@nodeagent/api/helpers';

interface UrlProblem {
  /** The part of the text to which the rule applies: all of it, or the part before the fragment. */
  url: string;
  rule: string;
}

/** Parses the scheme of a URL to lower case, or returns the error of Go's URL parser, which the kubelet uses. */
export function parseUrlScheme(text: string): { scheme?: string; problem?: UrlProblem } {
  const hash = text.indexOf('#');
  const [url, fragment] = hash < 0 ? [text, ''] : [text.slice(0, hash), text.slice(hash + 1)];
  const [, scheme = '', rest = url] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(.*)$/s.exec(url) ?? [];
  const rule = urlProblem(url, scheme, rest.split('?', 1)[0] ?? '');
  if (rule !== undefined) return { problem: { url, rule } };
  const fragmentRule = escapeProblem(fragment);
  return fragmentRule === undefined ? { scheme: scheme.toLowerCase() } : { problem: { url: text, rule: fragmentRule } };
}

function urlProblem(url: string, scheme: string, path: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the rule refuses
  if (/[\x00-\x1f\x7f]/.test(url)) return 'net/url: invalid control character in URL';
  if (url.startsWith(':')) return 'missing protocol scheme';
  if (!path.startsWith('/')) {
    const hasColon = path.split('/', 1)[0]?.includes(':');
    return scheme === '' && hasColon ? 'first path segment in URL cannot contain colon' : undefined;
  }
  const [, authority, tail = path] = /^\/\/([^/]*)(.*)$/s.exec(path) ?? [];
  return (authority === undefined ? undefined : authorityProblem(authority)) ?? escapeProblem(tail);
}

function authorityProblem(authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  const problem = hostProblem(authority.slice(at + 1));
  if (problem !== undefined || at < 0) return problem;
  const user = authority.slice(0, at);
  return /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) ? escapeProblem(user) : 'net/url: invalid userinfo';
}

function hostProblem(host: string): string | undefined {
  const end = host.startsWith('[') ? host.lastIndexOf(']') + 1 : host.lastIndexOf(':');
  if (host.startsWith('[') && end === 0) return "missing ']' in host";
  const port = end < 0 ? '' : host.slice(end);
  if (!/^(?::[0-9]*)?$/.test(port)) return `invalid port ${quoteText(port)} after host`;
  return escapeProblem(host, /^%(?:[89A-Fa-f]|25)/) ?? characterProblem(host);
}

function characterProblem(host: string): string | undefined {
  const invalid = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(host)?.[0];
  return invalid === undefined ? undefined : `invalid character ${quoteText(invalid)} in host name`;
}

/** The first `%` of an invalid escape, or an escape that is not allowed. */
function escapeProblem(text: string, allowed = /^%/): string | undefined {
  for (const [found] of text.matchAll(/%.{0,2}/gsu))
    if (!/^%[0-9A-Fa-f]{2}$/.test(found) || !allowed.test(found)) return `invalid URL escape ${quoteText(found)}`;
  return undefined;
}
