import { decodeUtf8, encodeUtf8 } from '@nodeagent/api/helpers';

/**
 * URLs as the kubelet prints and sends them. The WHATWG `URL` is unsuitable: it drops default ports, resolves dots and escapes differently,
 * so that requests would differ from the kubelet's.
 */
export interface Url {
  /** Lower case; empty in a reference without one. */
  scheme: string;
  /** `host`, `host:port` or `[v6]:port`; empty in a reference without one. */
  host: string;
  /** Escaped. */
  path: string;
  /** Including `?`, unchanged; empty if there is none. */
  query: string;
  /** Including `#`, escaped; empty if there is none. */
  fragment: string;
}

const pathCharacters = /^[A-Za-z0-9\-._~$&+,/:;=@!'()*[\]%]*$/;
const unescapedInPath = /[A-Za-z0-9\-._~$&+,/:;=@]/;
const hostCharacters = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"]|\P{ASCII})*$/u;

/** Parses a URL or a reference. Throws for an invalid one, with Go's message. */
export function parseUrl(text: string): Url {
  const hash = text.indexOf('#');
  const fragment = hash < 0 ? '' : text.slice(hash + 1);
  const whole = hash < 0 ? text : text.slice(0, hash);
  if (/\p{Cc}/u.test(whole)) throw invalid(whole, 'net/url: invalid control character in URL');
  if (whole.startsWith(':')) throw invalid(whole, 'missing protocol scheme');
  const [, scheme = '', afterScheme = ''] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(.*)$/s.exec(whole) ?? [];
  const mark = afterScheme.indexOf('?');
  const query = mark < 0 ? '' : afterScheme.slice(mark);
  let rest = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  if (!rest.startsWith('/')) {
    if (scheme !== '') throw invalid(whole, 'no host in URL');
    if (rest.split('/', 1)[0]?.includes(':')) throw invalid(whole, 'first path segment in URL cannot contain colon');
  }
  let host = '';
  if (rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'))) {
    const slash = rest.indexOf('/', 2);
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    rest = slash < 0 ? '' : rest.slice(slash);
    host = parseHost(whole, authority.slice(authority.lastIndexOf('@') + 1));
  }
  const path = pathCharacters.test(rest) && badEscape(rest) === undefined ? rest : escapePath(unescapeBytes(whole, rest));
  return { scheme: scheme.toLowerCase(), host, path, query, fragment: fragment === '' ? '' : `#${escapeFragment(text, fragment)}` };
}

/** A URL with the text as its literal path, escaped where necessary. */
export function rawPathUrl(text: string): Url {
  return { scheme: '', host: '', path: escapePath(encodeUtf8(text)), query: '', fragment: '' };
}

export function formatUrl({ scheme, host, path, query, fragment }: Url): string {
  return `${scheme}://${host}${path !== '' && !path.startsWith('/') ? '/' : ''}${path}${query}${fragment}`;
}

/** Path and query for a request line. */
export function requestTarget({ path, query }: Url): string {
  return `${path.startsWith('/') ? '' : '/'}${path}${query}`;
}

/** Resolves the reference against `base`: RFC 3986, section 5. */
export function resolveUrl(base: Url, reference: Url): Url {
  if (reference.scheme !== '' || reference.host !== '') {
    return { ...reference, scheme: reference.scheme || base.scheme, path: withoutDots(reference.path) };
  }
  if (reference.path === '' && reference.query === '') {
    return { ...base, path: withoutDots(base.path), fragment: reference.fragment || base.fragment };
  }
  const folder = base.path.slice(0, base.path.lastIndexOf('/') + 1);
  const path = reference.path === '' ? base.path : reference.path.startsWith('/') ? reference.path : folder + reference.path;
  return { ...base, path: withoutDots(path), query: reference.query, fragment: reference.fragment };
}

/** The host without port and brackets. */
export function hostName({ host }: Pick<Url, 'host'>): string {
  if (host.startsWith('[')) return host.slice(1, host.lastIndexOf(']'));
  const colon = host.indexOf(':');
  return colon < 0 ? host : host.slice(0, colon);
}

/** The port of the host, or that of the scheme. */
export function portNumber({ scheme, host }: Pick<Url, 'scheme' | 'host'>): number {
  const port = /:(\d+)$/.exec(host)?.[1];
  return port === undefined ? (scheme === 'https' ? 443 : 80) : Number(port);
}

function parseHost(whole: string, text: string): string {
  const after = text.startsWith('[')
    ? text.slice(text.lastIndexOf(']') + 1)
    : text.slice(text.indexOf(':') < 0 ? text.length : text.lastIndexOf(':'));
  if (text.startsWith('[') && !text.includes(']')) throw invalid(whole, "missing ']' in host");
  if (!/^(:\d*)?$/.test(after)) throw invalid(whole, `invalid port ${JSON.stringify(after)} after host`);
  const wrong = badEscape(text);
  if (wrong !== undefined) throw invalid(whole, `invalid URL escape ${JSON.stringify(wrong)}`);
  const ascii = /%[0-7][0-9A-Fa-f]/.exec(text.replaceAll('%25', ''));
  if (ascii) throw invalid(whole, `invalid URL escape ${JSON.stringify(ascii[0])}`);
  const host = decodeUtf8(unescapeBytes(whole, text));
  const character = [...host.replaceAll('%', '')].find((each) => !hostCharacters.test(each));
  if (character !== undefined) throw invalid(whole, `invalid character ${JSON.stringify(character)} in host name`);
  return host;
}

/** The first `%` that no two hexadecimal digits follow, with up to two characters after it. */
function badEscape(text: string): string | undefined {
  return /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(text)?.[0];
}

function unescapeBytes(whole: string, text: string): Uint8Array {
  const wrong = badEscape(text);
  if (wrong !== undefined) throw invalid(whole, `invalid URL escape ${JSON.stringify(wrong)}`);
  const bytes = encodeUtf8(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const escaped = bytes[at] === 0x25;
    bytes[length++] = escaped ? Number.parseInt(String.fromCharCode(...bytes.subarray(at + 1, at + 3)), 16) : (bytes[at] ?? 0);
    if (escaped) at += 2;
  }
  return bytes.subarray(0, length);
}

function escapePath(path: Uint8Array): string {
  return escapeBytes(path, unescapedInPath);
}

function escapeFragment(whole: string, fragment: string): string {
  const bytes = unescapeBytes(whole, fragment);
  return /^[A-Za-z0-9\-._~$&+,/:;=?@!'()*[\]%]*$/.test(fragment) ? fragment : escapeBytes(bytes, /[A-Za-z0-9\-._~$&+,/:;=?@!()*]/);
}

function escapeBytes(bytes: Uint8Array, plain: RegExp): string {
  let escaped = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    escaped += byte < 0x80 && plain.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

function withoutDots(path: string): string {
  if (path === '') return '';
  const segments = path.split('/');
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  const last = segments[segments.length - 1];
  if (last === '.' || last === '..') kept.push('');
  const joined = kept.join('/');
  return joined.startsWith('/') ? joined : `/${joined}`;
}

function invalid(text: string, why: string): Error {
  return new Error(`parse ${JSON.stringify(text)}: ${why}`);
}
