import type { ResourceRegistry } from '../registry/registry.js';
import type { ServedResource } from '../registry/resource.js';

const info = { title: 'Kubernetes', version: 'v1.36.0' };

/** The path of the resource's group and version, without the leading slash. */
const pathOf = ({ group, version }: ServedResource) => (group === '' ? `api/${version}` : `apis/${group}/${version}`);

/** The name of a kind's schema: its group in reverse, version and kind. */
const schemaName = ({ group, version, kind }: ServedResource) =>
  `${[...group.split('.').reverse(), version, kind].filter(Boolean).join('.')}`;

/** Accepts any object, except for kinds with the schema of a CustomResourceDefinition. */
function schemaOf({ group, version, kind, custom }: ServedResource): unknown {
  const identity = [{ group, version, kind }];
  return {
    ...(custom?.schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
    'x-kubernetes-group-version-kind': identity,
  };
}

const query = (name: string) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } });

/** The parameters by which clients detect features of the server. */
const writeParameters = [query('dryRun'), query('fieldManager'), query('fieldValidation')];

/** `GET /openapi/v3`: the list of documents, each with the hash of its content. */
export function openApiIndex(registry: ResourceRegistry, hashOf: (path: string) => string): unknown {
  const paths = new Set(registry.list().map(pathOf));
  const entries = [...paths].map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(path)}` }]);
  return { paths: Object.fromEntries(entries) };
}

/** Whether the document depends on CustomResourceDefinitions; others are the same in every server. */
export function hasCustomResources(registry: ResourceRegistry, path: string): boolean {
  return registry.list().some((definition) => definition.custom !== undefined && pathOf(definition) === path);
}

/** `GET /openapi/v3/<path>`: the kinds of a group and version; undefined for an unknown one. */
export function openApiDocument(registry: ResourceRegistry, path: string): unknown {
  const definitions = registry.list().filter((definition) => pathOf(definition) === path);
  if (definitions.length === 0) return undefined;
  const schemas = Object.fromEntries(definitions.map((definition) => [schemaName(definition), schemaOf(definition)]));
  const paths = Object.fromEntries(definitions.map((definition) => pathItem(definition)));
  return { openapi: '3.0.0', info, paths, components: { schemas } };
}

function pathItem(definition: ServedResource): [string, unknown] {
  const { group, version, kind, resource, namespaced } = definition;
  const identity = { 'x-kubernetes-group-version-kind': { group, version, kind } };
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schemaName(definition)}` } } };
  const answer = { responses: { 200: { description: 'OK', content } } };
  const item = {
    get: { ...identity, ...answer, 'x-kubernetes-action': 'get' },
    put: { ...identity, ...answer, 'x-kubernetes-action': 'put', parameters: writeParameters },
    post: { ...identity, ...answer, 'x-kubernetes-action': 'post', parameters: writeParameters },
    patch: { ...identity, ...answer, 'x-kubernetes-action': 'patch', parameters: [...writeParameters, query('force')] },
  };
  return [`/${pathOf(definition)}/${namespaced ? 'namespaces/{namespace}/' : ''}${resource}/{name}`, item];
}

/** `GET /openapi/v2`: the kinds and their groups and versions. */
export function openApiV2(registry: ResourceRegistry): unknown {
  const definitions = Object.fromEntries(
    registry
      .list()
      .map(({ group, version, kind, ...rest }) => [
        schemaName({ group, version, kind, ...rest }),
        { type: 'object', 'x-kubernetes-group-version-kind': [{ group, version, kind }] },
      ]),
  );
  return { swagger: '2.0', info, paths: {}, definitions };
}

/** `GET /version`. */
export const versionInfo = {
  major: '1',
  minor: '36',
  gitVersion: info.version,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-04-22T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};
