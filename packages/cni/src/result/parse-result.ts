import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { isIP, isIPv4, isObject, quoteText } from '@nodeagent/api/helpers';
import { cniErrorCodes } from '../errors.js';
import type { CniDns, CniInterface, CniIP, CniResult, CniRoute } from '../types.js';
import { type CniVersion, isCniVersion, isSince } from '../versions.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a plugin's result of any version from 0.1.0 to 1.1.0. Members that the specification does not define are dropped. Throws `InvalidCniResult`
 * naming the field.
 *
 * @param expected - the version of the call, which counts if the result has none
 */
export function parseResult(text: string, expected: CniVersion): CniResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid('', text.trim() === '' ? 'is empty' : `is not JSON: ${errorMessage(cause)}`);
  }
  return resultOf(value, expected);
}

/** {@link parseResult} of a parsed JSON value. */
export function resultOf(value: unknown, expected: CniVersion): CniResult {
  if (!isObject(value)) throw invalid('', 'must be an object');
  const { cniVersion = expected } = value;
  if (!isCniVersion(cniVersion)) throw invalid('cniVersion', `must be a supported version, got ${shown(cniVersion)}`);
  const lists = isSince(cniVersion, '0.3.0') ? listsOf(value) : familiesOf(value);
  const dns = optional(value, 'dns', '', dnsOf);
  return { cniVersion, ...lists, ...(dns && Object.keys(dns).length > 0 ? { dns } : {}) };
}

function listsOf(value: Fields): Pick<CniResult, 'interfaces' | 'ips' | 'routes'> {
  const interfaces = list(value, 'interfaces', interfaceOf);
  const ips = list(value, 'ips', (each, path) => ipOf(each, path, interfaces?.length ?? 0));
  return defined({ interfaces, ips, routes: list(value, 'routes', routeOf) });
}

/** Versions 0.1.0 and 0.2.0 have one address of each family: `ip4: { ip, gateway, routes }`. */
function familiesOf(value: Fields): Pick<CniResult, 'ips' | 'routes'> {
  const families = (['ip4', 'ip6'] as const).flatMap((family) => {
    const found = optional(value, family, '', (each, path) => object(each, path));
    if (found === undefined) return [];
    const gateway = optional(found, 'gateway', family, address);
    return [{ ip: defined({ address: cidr(found.ip, `${family}.ip`), gateway }), routes: list(found, 'routes', routeOf, family) ?? [] }];
  });
  const routes = families.flatMap((family) => family.routes);
  return { ...(families.length > 0 && { ips: families.map(({ ip }) => ip) }), ...(routes.length > 0 && { routes }) };
}

function interfaceOf(value: unknown, path: string): CniInterface {
  const fields = object(value, path);
  return defined({
    name: string(fields.name, `${path}.name`),
    mac: optional(fields, 'mac', path, string) || undefined,
    mtu: optional(fields, 'mtu', path, natural),
    sandbox: optional(fields, 'sandbox', path, string) || undefined,
    socketPath: optional(fields, 'socketPath', path, string) || undefined,
    pciID: optional(fields, 'pciID', path, string) || undefined,
  });
}

function ipOf(value: unknown, path: string, interfaces: number): CniIP {
  const fields = object(value, path);
  const index = optional(fields, 'interface', path, natural);
  if (index !== undefined && index >= interfaces)
    throw invalid(`${path}.interface`, `is ${index}, but the result has ${interfaces} interfaces`);
  return defined({
    address: cidr(fields.address, `${path}.address`),
    gateway: optional(fields, 'gateway', path, address),
    interface: index,
  });
}

function routeOf(value: unknown, path: string): CniRoute {
  const fields = object(value, path);
  return defined({
    dst: cidr(fields.dst, `${path}.dst`),
    gw: optional(fields, 'gw', path, address),
    mtu: optional(fields, 'mtu', path, natural),
    advmss: optional(fields, 'advmss', path, natural),
    priority: optional(fields, 'priority', path, natural),
    table: optional(fields, 'table', path, natural),
    scope: optional(fields, 'scope', path, natural),
  });
}

function dnsOf(value: unknown, path: string): CniDns {
  const fields = object(value, path);
  const texts = (name: string) => {
    const found = list(fields, name, string, path);
    return found === undefined || found.length === 0 ? undefined : found;
  };
  return defined({
    nameservers: texts('nameservers'),
    domain: optional(fields, 'domain', path, string) || undefined,
    search: texts('search'),
    options: texts('options'),
  });
}

/** Null counts as absent, as in Go. */
function optional<T>(fields: Fields, name: string, path: string, read: (value: unknown, path: string) => T): T | undefined {
  const value = fields[name];
  if (value === undefined || value === null || (value === '' && read !== (string as unknown))) return undefined;
  return read(value, path === '' ? name : `${path}.${name}`);
}

function list<T>(fields: Fields, name: string, read: (value: unknown, path: string) => T, parent = ''): T[] | undefined {
  return optional(fields, name, parent, (value, path) => {
    if (!Array.isArray(value)) throw invalid(path, 'must be a list');
    return value.map((item: unknown, index) => read(item, `${path}[${index}]`));
  });
}

function object(value: unknown, path: string): Fields {
  if (isObject(value)) return value;
  throw invalid(path, 'must be an object');
}

function string(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  throw invalid(path, 'must be a string');
}

function natural(value: unknown, path: string): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw invalid(path, 'must be a whole number of at least 0');
}

function address(value: unknown, path: string): string {
  const text = string(value, path);
  if (isIP(text) !== 0) return text;
  throw invalid(path, `must be an IP address, got ${shown(text)}`);
}

function cidr(value: unknown, path: string): string {
  const text = string(value, path);
  const [, ip = '', bits = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (isIP(ip) !== 0 && Number(bits) <= (isIPv4(ip) ? 32 : 128)) return text;
  throw invalid(path, `must be an IP address with a prefix length, got ${shown(text)}`);
}

/** Values of other types may be nested too deeply to be shown. */
const shown = (value: unknown) => (typeof value === 'string' ? quoteText(value.slice(0, 80)) : typeof value);

/** Without the members that are undefined. */
const defined = <T extends object>(value: { [Name in keyof T]: T[Name] | undefined }): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;

function invalid(field: string, problem: string): NodeAgentError {
  return new NodeAgentError(cniErrorCodes.invalidResult, `the result${field && `'s ${field}`} ${problem}`, { details: { field } });
}
