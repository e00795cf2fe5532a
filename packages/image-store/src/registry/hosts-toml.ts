import { isObject } from '@nodeagent/api/helpers';
import { flagOf, textOf } from './config-values.js';
import { defaultEndpoint, invalidConfig, isLocalRegistry, type RegistryEndpoint, registryHost, splitRepository } from './endpoint.js';

type Table = Record<string, unknown>;

/**
 * The names of a registry's folder below containerd's `certs.d`, in the order in which they are looked for: `host:5000`, `host_5000_`, then
 * `_default`.
 */
export function hostsFolderNames(registry: string): string[] {
  const [, host, port] = /^(.*):(\d+)$/.exec(registry) ?? [];
  return [...(host === undefined ? [] : [`${host}_${port}_`]), registry, '_default'];
}

/**
 * The endpoints of a repository by the `hosts.toml` of its registry: the mirrors in the file's order, then the server. Throws `InvalidRegistryConfig`
 * naming the field. containerd documentation, "Registry Host Configuration".
 * @param config - the parsed file; undefined if there is none
 * @param folder - the folder of the file, to which the files that it names are relative
 */
export function hostsTomlEndpoints(config: Table | undefined, repository: string, folder: string): RegistryEndpoint[] {
  const { registry } = splitRepository(repository);
  if (config === undefined) return [defaultEndpoint(repository)];
  const mirrors = config.host ?? {};
  if (!isObject(mirrors)) throw invalidConfig('host', 'must be a table');
  const endpoints = Object.entries(mirrors).map(([url, table]) => {
    if (!isObject(table)) throw invalidConfig(`host."${url}"`, 'must be a table');
    return { ...endpointOf(table, url, repository, folder, `host."${url}"`), namespace: registry };
  });
  const server = textOf(config.server, 'server') || `${isLocalRegistry(registry) ? 'http' : 'https'}://${registryHost(registry)}`;
  const last = endpointOf(config, server, repository, folder, 'server');
  return [...endpoints.filter(({ url }) => url !== last.url), last];
}

function endpointOf(table: Table, address: string, repository: string, folder: string, field: string): RegistryEndpoint {
  const capabilities = listOf(table.capabilities ?? ['pull', 'resolve'], `${field}.capabilities`);
  const unknown = capabilities.find((name) => !['pull', 'resolve', 'push'].includes(name));
  if (unknown !== undefined) throw invalidConfig(`${field}.capabilities`, `has the unknown capability ${unknown}`);
  const caFiles = listOf(table.ca ?? [], `${field}.ca`).map((file) => pathIn(folder, file));
  const clientCertificates = clientsOf(table.client, `${field}.client`, folder);
  const headers = headersOf(table.header, `${field}.header`);
  return {
    url: urlOf(address, flagOf(table.override_path, `${field}.override_path`), field),
    repository: splitRepository(repository).path,
    canResolve: capabilities.includes('resolve'),
    canPull: capabilities.includes('pull'),
    ...(flagOf(table.skip_verify, `${field}.skip_verify`) && { skipVerify: true }),
    ...(caFiles.length > 0 && { caFiles }),
    ...(clientCertificates.length > 0 && { clientCertificates }),
    ...(headers !== undefined && { headers }),
  };
}

/** With `/v2` at its end, unless the path overrides that. */
function urlOf(address: string, overridesPath: boolean, field: string): string {
  const text = address.includes('://') ? address : `https://${address}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw invalidConfig(field, 'must be a URL of HTTP');
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${overridesPath || path.endsWith('/v2') ? path : `${path}/v2`}`;
}

/** One text, or a list of texts. */
function listOf(value: unknown, field: string): string[] {
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || !list.every((entry) => typeof entry === 'string'))
    throw invalidConfig(field, 'must be a text or a list of texts');
  return list;
}

/** A file with certificate and key, a list of such files, or a list of pairs. */
function clientsOf(value: unknown, field: string, folder: string): { certificate: string; key?: string }[] {
  const entries = value === undefined ? [] : typeof value === 'string' ? [value] : value;
  if (!Array.isArray(entries)) throw invalidConfig(field, 'must be a text or a list');
  return entries.map((entry) => {
    const [certificate, key, ...rest] = listOf(entry, field);
    if (certificate === undefined || rest.length > 0) throw invalidConfig(field, 'must have pairs of certificate and key');
    return { certificate: pathIn(folder, certificate), ...(key && { key: pathIn(folder, key) }) };
  });
}

function headersOf(value: unknown, field: string): Record<string, string> | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw invalidConfig(field, 'must be a table');
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name.toLowerCase(), listOf(entry, `${field}.${name}`).join(', ')]),
  );
}

const pathIn = (folder: string, file: string) => (file.startsWith('/') ? file : `${folder}/${file}`);
