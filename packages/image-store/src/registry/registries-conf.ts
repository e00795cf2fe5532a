import { NodeAgentError } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes } from '../errors.js';
import { flagOf, textOf } from './config-values.js';
import { invalidConfig, type RegistryEndpoint, registryHost, splitRepository } from './endpoint.js';

interface Location {
  location: string;
  insecure: boolean;
  /** By which references it is used. */
  pulls: 'all' | 'digest-only' | 'tag-only';
}

interface Registry extends Location {
  prefix: string;
  blocked: boolean;
  mirrors: Location[];
}

/**
 * The endpoints of a repository by `registries.conf` version 2: the mirrors of the registry with the longest matching prefix, then its location.
 * Where `insecure` is set, each is tried with TLS that is not verified, then without TLS. Undefined if no registry matches. Throws `RegistryBlocked`,
 * and `InvalidRegistryConfig` naming the field. containers-registries.conf(5).
 * @param config - the parsed file
 * @param isDigest - whether the image is pulled by digest
 */
export function registriesConfEndpoints(
  config: Record<string, unknown>,
  repository: string,
  isDigest: boolean,
): RegistryEndpoint[] | undefined {
  const registries = registriesOf(config);
  const matching = registries.filter(({ prefix }) => matchesPrefix(prefix, repository)).sort((a, b) => b.prefix.length - a.prefix.length);
  const [registry] = matching;
  if (registry === undefined) return undefined;
  if (registry.blocked) {
    throw new NodeAgentError(imageStoreErrorCodes.registryBlocked, `registry ${registry.prefix} is blocked by registries.conf`);
  }
  const usable = registry.mirrors.filter(({ pulls }) => pulls === 'all' || (pulls === 'digest-only') === isDigest);
  return [...usable, registry].flatMap(({ location, insecure }) => endpointsAt(rewrite(repository, registry.prefix, location), insecure));
}

function endpointsAt(repository: string, insecure: boolean): RegistryEndpoint[] {
  const { registry, path } = splitRepository(repository);
  const at = (scheme: string, skipVerify: boolean): RegistryEndpoint => ({
    url: `${scheme}://${registryHost(registry)}/v2`,
    repository: path,
    canResolve: true,
    canPull: true,
    ...(skipVerify && { skipVerify }),
  });
  return insecure ? [at('https', true), at('http', false)] : [at('https', false)];
}

function registriesOf(config: Record<string, unknown>): Registry[] {
  const tables = config.registry ?? [];
  // Version 1 has one table of that name, with lists of hosts.
  if (!Array.isArray(tables)) throw invalidConfig('registry', 'must be a list of tables, as in version 2 of the format');
  return tables.map((table, index) => {
    const field = `registry[${index}]`;
    if (!isObject(table)) throw invalidConfig(field, 'must be a table');
    const own = locationOf(table, field, table.prefix);
    const prefix = textOf(table.prefix ?? own.location, `${field}.prefix`);
    const mirrors = table.mirror ?? [];
    if (prefix === '') throw invalidConfig(field, 'must have a prefix or a location');
    if (!Array.isArray(mirrors)) throw invalidConfig(`${field}.mirror`, 'must be a list of tables');
    const byDigestOnly = flagOf(table['mirror-by-digest-only'], `${field}.mirror-by-digest-only`);
    return {
      ...own,
      prefix,
      blocked: flagOf(table.blocked, `${field}.blocked`),
      mirrors: mirrors.map((mirror, place) => {
        if (!isObject(mirror)) throw invalidConfig(`${field}.mirror[${place}]`, 'must be a table');
        const found = locationOf(mirror, `${field}.mirror[${place}]`);
        return byDigestOnly ? { ...found, pulls: 'digest-only' } : found;
      }),
    };
  });
}

function locationOf(table: Record<string, unknown>, field: string, fallback?: unknown): Location {
  const location = textOf(table.location ?? fallback, `${field}.location`).replace(/\/+$/, '');
  const pulls = textOf(table['pull-from-mirror'] ?? 'all', `${field}.pull-from-mirror`);
  if (pulls !== 'all' && pulls !== 'digest-only' && pulls !== 'tag-only') {
    throw invalidConfig(`${field}.pull-from-mirror`, 'must be all, digest-only or tag-only');
  }
  return { location, insecure: flagOf(table.insecure, `${field}.insecure`), pulls };
}

/** A prefix matches whole elements of the repository's name; `*.example.com` matches the hosts below it. */
function matchesPrefix(prefix: string, repository: string): boolean {
  if (!prefix.startsWith('*.')) return repository === prefix || repository.startsWith(`${prefix}/`);
  const { registry } = splitRepository(repository);
  const suffix = prefix.slice(1);
  return suffix.includes('/') ? repository.includes(suffix) : registry.endsWith(suffix);
}

/** The location in the place of the prefix; a wildcard matches the whole host. */
function rewrite(repository: string, prefix: string, location: string): string {
  if (location === '' || location === prefix) return repository;
  const matched = prefix.startsWith('*.') ? splitRepository(repository).registry : prefix;
  return `${location}${repository.slice(matched.length)}`;
}
