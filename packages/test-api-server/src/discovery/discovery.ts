import { groupVersion } from '../objects.js';
import type { ResourceRegistry } from '../registry/registry.js';
import type { ServedResource } from '../registry/resource.js';
import type { GroupVersion } from './documents.js';

/** The media type of {@link aggregatedDiscovery}. */
export const aggregatedDiscoveryType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Version {
  version: string;
  resources: ServedResource[];
}

/** The API groups with their versions, the preferred one first; the core group has the name ''. */
function groupsOf(registry: ResourceRegistry): Map<string, Version[]> {
  const groups = new Map<string, Version[]>();
  for (const definition of registry.list()) {
    const versions = groups.get(definition.group) ?? [];
    groups.set(definition.group, versions);
    const found = versions.find(({ version }) => version === definition.version);
    if (found) found.resources.push(definition);
    else versions.push({ version: definition.version, resources: [definition] });
  }
  return groups;
}

/** `GET /api` or `GET /apis` in one response: Kubernetes documentation, "The Kubernetes API: Aggregated discovery". */
export function aggregatedDiscovery(registry: ResourceRegistry, core: boolean, stale: readonly GroupVersion[] = []): unknown {
  const items = [...groupsOf(registry)]
    .filter(([group]) => (group === '') === core)
    .map(([group, versions]) => ({
      metadata: { name: group },
      versions: versions.map(({ version, resources }) => ({
        version,
        freshness: 'Current',
        resources: resources.map((resource) => aggregatedResource(resource)),
      })),
    }));
  for (const { group, version } of stale) {
    const entry = { version, freshness: 'Stale', resources: [] };
    const known = items.find(({ metadata }) => metadata.name === group);
    if (known) known.versions.push(entry);
    else items.push({ metadata: { name: group }, versions: [entry] });
  }
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function aggregatedResource(definition: ServedResource): unknown {
  const { group, version, resource, kind, namespaced, singular, verbs, shortNames, categories, subresources } = definition;
  return {
    resource,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((part) => ({
        subresource: part.name,
        responseKind: { group: part.group ?? group, version: part.version ?? version, kind: part.kind },
        verbs: part.verbs,
      })),
    }),
  };
}

/** `GET /api`. */
export const coreVersions = {
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '' }],
};

/** `GET /apis`. */
export function groupList(registry: ResourceRegistry): unknown {
  const groups = [...groupsOf(registry).keys()].filter((group) => group !== '').map((group) => apiGroup(registry, group));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** `GET /apis/<group>`; undefined for an unknown one. */
export function apiGroup(registry: ResourceRegistry, group: string): unknown {
  const versions = groupsOf(registry)
    .get(group)
    ?.map(({ version }) => ({ groupVersion: groupVersion(group, version), version }));
  return versions && { kind: 'APIGroup', apiVersion: 'v1', name: group, versions, preferredVersion: versions[0] };
}

/** `GET /api/v1` and `GET /apis/<group>/<version>`; undefined for an unknown one. */
export function resourceList(registry: ResourceRegistry, group: string, version: string): unknown {
  const found = groupsOf(registry)
    .get(group)
    ?.find((each) => each.version === version);
  if (found === undefined) return undefined;
  const resources = found.resources.flatMap(({ resource, singular, namespaced, kind, verbs, shortNames, categories, subresources }) => [
    {
      name: resource,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
    },
    ...subresources.map((part) => ({
      name: `${resource}/${part.name}`,
      singularName: '',
      namespaced,
      kind: part.kind,
      verbs: part.verbs,
      ...(part.group !== undefined && { group: part.group, version: part.version }),
    })),
  ]);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: groupVersion(group, version), resources };
}
