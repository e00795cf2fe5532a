import { canonicalIP, isInSubnet, isIPv4, isIPv6 } from '@nodeagent/api/helpers';
import { CelEvalError } from '../cel-error.js';
import { type CelOverload, overload } from '../functions.js';
import { CelList, CelOpaque, EntryMap } from '../values.js';

class Ip extends CelOpaque {
  readonly typeName = 'net.IP';
  readonly text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
  get isV4(): boolean {
    return isIPv4(this.text);
  }
  override get size(): number {
    return this.isV4 ? 4 : 16;
  }
  equals(other: Ip): boolean {
    return this.text === other.text;
  }
  override toString(): string {
    return this.text;
  }
  /** Whether it is within one of the subnets, `address/bits`. */
  isIn(...subnets: string[]): boolean {
    return subnets.some((subnet) => {
      const [network = '', bits = ''] = subnet.split('/');
      return isIPv4(network) === this.isV4 && isInSubnet(this.text, network, Number(bits));
    });
  }
}

class Cidr extends CelOpaque {
  readonly typeName = 'net.CIDR';
  readonly ip: Ip;
  readonly bits: number;
  constructor(ip: Ip, bits: number) {
    super();
    this.ip = ip;
    this.bits = bits;
  }
  override get size(): number {
    return this.ip.size;
  }
  equals(other: Cidr): boolean {
    return this.bits === other.bits && this.ip.equals(other.ip);
  }
  override toString(): string {
    return `${this.ip}/${this.bits}`;
  }
}

/** An IP address; IPv4 addresses within IPv6 and zones are refused, as Kubernetes does. */
function ip(text: string): Ip {
  const found = parsedIp(text);
  if (found === undefined) throw new CelEvalError(ipProblem(text));
  return found;
}

/** Why a text is no address, in the words of a cluster. */
function ipProblem(text: string): string {
  const shown = JSON.stringify(text);
  if (/^::ffff:/i.test(text) && isIPv6(text)) return `IPv4-mapped IPv6 address ${shown} is not allowed`;
  if (/%/.test(text) && isIPv6(text.replace(/%.*$/s, ''))) return `IP address ${shown} with zone value is not allowed`;
  return `IP Address ${shown} parse error during conversion from string: ParseAddr(${shown}): ${addressProblem(text)}`;
}

function addressProblem(text: string): string {
  const parts = text.split('.');
  if (text.includes(':') || parts.length === 1 || !parts.every((part) => /^\d+$/.test(part))) return 'unable to parse IP';
  if (parts.some((part) => Number(part) > 255)) return 'IPv4 field has value >255';
  if (parts.some((part) => part.length > 1 && part.startsWith('0'))) return 'IPv4 field has octet with leading zero';
  return parts.length < 4 ? 'IPv4 address too short' : 'IPv4 address too long';
}

/** Why a text is no subnet. */
function cidrProblem(text: string, parse: string): string {
  const [address = '', bits] = text.split(/\/(?=[^/]*$)/);
  const shown = JSON.stringify(text);
  if (isIPv6(address) && /^::ffff:/i.test(address)) return `IPv4-mapped IPv6 address ${shown} is not allowed`;
  const problem = (why: string) => `${parse}: netip.ParsePrefix(${shown}): ${why}`;
  if (bits === undefined) return problem("no '/'");
  if (!isIPv4(address) && !isIPv6(address)) return problem(`ParseAddr(${JSON.stringify(address)}): ${addressProblem(address)}`);
  if (!/^(?:0|[1-9]\d*)$/.test(bits)) return problem(`bad bits after slash: ${JSON.stringify(bits)}`);
  return problem('prefix length out of range');
}

function parsedIp(text: string): Ip | undefined {
  if (isIPv4(text)) return new Ip(text);
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const canonical = canonicalIP(text);
  return canonical.startsWith('::ffff:') && canonical.includes('.') ? undefined : new Ip(canonical);
}

function parsedCidr(text: string): Cidr | undefined {
  const [, address = '', bits = ''] = /^(.+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const found = parsedIp(address);
  return found && Number(bits) <= (found.isV4 ? 32 : 128) ? new Cidr(found, Number(bits)) : undefined;
}

function cidr(text: string): Cidr {
  const found = parsedCidr(text);
  if (found === undefined) {
    const parse = 'network address parse error during conversion from string';
    throw new CelEvalError(`${parse}: ${cidrProblem(text, parse)}`);
  }
  return found;
}

const containsIp = (network: Cidr, address: Ip) => address.isIn(String(network));
const containsCidr = (network: Cidr, other: Cidr) => other.bits >= network.bits && containsIp(network, other.ip);

function masked({ ip: address, bits }: Cidr): Cidr {
  const total = address.isV4 ? 32 : 128;
  const value = bigOf(address);
  return new Cidr(new Ip(textOf((value >> BigInt(total - bits)) << BigInt(total - bits), address.isV4)), bits);
}

function bigOf({ text, isV4 }: Ip): bigint {
  if (isV4) return text.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [left = [], right = []] = text
    .replace(/[\d.]+\.\d+$/, '0:0')
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':')));
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return groups.reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}

function textOf(value: bigint, isV4: boolean): string {
  if (isV4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  return canonicalIP(Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16)).join(':'));
}

class ParsedUrl extends CelOpaque {
  readonly typeName = 'kubernetes.URL';
  readonly url: URL;
  readonly text: string;
  readonly isPath: boolean;
  constructor(text: string) {
    super();
    this.text = text;
    this.isPath = text.startsWith('/');
    this.url = new URL(text, 'http://none');
  }
  override get size(): number {
    return this.text.length;
  }
  equals(other: ParsedUrl): boolean {
    return this.url.href === other.url.href && this.isPath === other.isPath;
  }
  get host(): string {
    return this.isPath ? '' : (/^[^:]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(this.text)?.[1] ?? this.url.host);
  }
}

/** Why a text is no URL with a scheme, and no absolute path. */
function urlProblem(text: string): string | undefined {
  if (text === '') return 'empty url';
  if (/\p{Cc}/u.test(text)) return 'net/url: invalid control character in URL';
  const [, scheme, host = '', path = ''] = /^([A-Za-z][A-Za-z0-9+.-]*:)?(?:\/\/([^/?]*))?([^?]*)/.exec(text) ?? [];
  if (scheme === undefined && !text.startsWith('/')) return 'invalid URI for request';
  const odd = /[ "<>\\^`{|}]/.exec(host)?.[0];
  if (odd !== undefined) return `invalid character ${JSON.stringify(odd)} in host name`;
  const port = /^(?:[^@]*@)?(?:\[[^\]]*\]|[^:]*)(:.*)$/.exec(host)?.[1];
  if (port !== undefined && !/^:\d*$/.test(port)) return `invalid port ${JSON.stringify(port)} after host`;
  const wrong = /%(?![0-9a-fA-F]{2})(.{0,2})/.exec(path);
  return wrong ? `invalid URL escape ${JSON.stringify(`%${wrong[1]}`)}` : undefined;
}

/** A URL with a scheme, or an absolute path. */
function parsedUrl(text: string): ParsedUrl | undefined {
  if (urlProblem(text) !== undefined) return undefined;
  try {
    return new ParsedUrl(text);
  } catch {
    return undefined;
  }
}

function url(text: string): ParsedUrl {
  const found = parsedUrl(text);
  if (found === undefined)
    throw new CelEvalError(
      `URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${urlProblem(text) ?? 'invalid URI for request'}`,
    );
  return found;
}

const escapedPath = (path: string) => path.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (character) => encodeURIComponent(character));

function queryOf({ url: { searchParams } }: ParsedUrl): EntryMap {
  return new EntryMap([...new Set(searchParams.keys())].map((name) => [name, new CelList(searchParams.getAll(name))] as const));
}

/** Kubernetes' functions of IP addresses, subnets and URLs. Kubernetes documentation, "CEL: Kubernetes IP address library" and others. */
export const networkFunctions: readonly CelOverload[] = [
  overload('ip(string) net.IP', ip),
  overload('isIP(string) bool', (text: string) => parsedIp(text) !== undefined),
  overload('ip.isCanonical(string) bool', (text: string) => ip(text).text === text),
  overload('net.IP.family() int', ({ isV4 }: Ip) => (isV4 ? 4n : 6n)),
  overload('net.IP.isUnspecified() bool', ({ text }: Ip) => text === '0.0.0.0' || text === '::'),
  overload('net.IP.isLoopback() bool', (address: Ip) => address.isIn('127.0.0.0/8', '::1/128')),
  overload('net.IP.isLinkLocalMulticast() bool', (address: Ip) => address.isIn('224.0.0.0/24', 'ff02::/16')),
  overload('net.IP.isLinkLocalUnicast() bool', (address: Ip) => address.isIn('169.254.0.0/16', 'fe80::/10')),
  overload('net.IP.isGlobalUnicast() bool', (address: Ip) => {
    const others = [
      '0.0.0.0/32',
      '::/128',
      '127.0.0.0/8',
      '::1/128',
      '224.0.0.0/4',
      'ff00::/8',
      '169.254.0.0/16',
      'fe80::/10',
      '255.255.255.255/32',
    ];
    return !address.isIn(...others);
  }),
  overload('string(net.IP) string', String),
  overload('cidr(string) net.CIDR', cidr),
  overload('isCIDR(string) bool', (text: string) => parsedCidr(text) !== undefined),
  overload('net.CIDR.containsIP(net.IP) bool', containsIp),
  overload('net.CIDR.containsIP(string) bool', (network: Cidr, text: string) => containsIp(network, ip(text))),
  overload('net.CIDR.containsCIDR(net.CIDR) bool', containsCidr),
  overload('net.CIDR.containsCIDR(string) bool', (network: Cidr, text: string) => containsCidr(network, cidr(text))),
  overload('net.CIDR.ip() net.IP', (network: Cidr) => network.ip),
  overload('net.CIDR.masked() net.CIDR', masked),
  overload('net.CIDR.prefixLength() int', ({ bits }: Cidr) => BigInt(bits)),
  overload('string(net.CIDR) string', String),
  overload('url(string) kubernetes.URL', url),
  overload('isURL(string) bool', (text: string) => parsedUrl(text) !== undefined),
  overload('kubernetes.URL.getScheme() string', ({ isPath, url: { protocol } }: ParsedUrl) => (isPath ? '' : protocol.slice(0, -1))),
  overload('kubernetes.URL.getHost() string', ({ host }: ParsedUrl) => host),
  overload('kubernetes.URL.getHostname() string', ({ host }: ParsedUrl) => host.replace(/:\d*$/, '').replace(/^\[|\]$/g, '')),
  overload('kubernetes.URL.getPort() string', ({ host }: ParsedUrl) => /:(\d*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? ''),
  overload('kubernetes.URL.getEscapedPath() string', ({ text }: ParsedUrl) =>
    escapedPath(/^(?:[^:/?#]+:)?(?:\/\/[^/?#]*)?([^?#]*)/.exec(text)?.[1] ?? ''),
  ),
  overload('kubernetes.URL.getQuery() map<string, list<string>>', queryOf),
];
