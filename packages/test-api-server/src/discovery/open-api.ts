import { customListOpenApi, customOpenApi } from '../custom-resources/open-api.js';
import { listMetadataFields, metadataFields, typeOfKind } from '../fields/built-in-types.js';
import type { ObjectType } from '../fields/object-type.js';
import { groupVersion } from '../objects.js';
import type { ResourceRegistry } from '../registry/registry.js';
import type { ServedResource } from '../registry/resource.js';
import { addBuiltInSchema, builtInSchemaName, type OpenApiVersion, type SchemaTable } from './built-in-schemas.js';

const info = { title: 'Kubernetes', version: 'v1.36.0' };

/** The path of the resource's group and version, without the leading slash. */
const pathOf = ({ group, version }: ServedResource) => (group === '' ? `api/${version}` : `apis/${group}/${version}`);

/** The name of a kind's schema: that of the built-in type, or the group in reverse, version and kind. */
function schemaName({ group, version, kind, ...definition }: ServedResource): string {
  const type = definition.custom ? undefined : typeOfKind(groupVersion(group, version), kind);
  return type ? builtInSchemaName(type) : [...group.split('.').reverse(), version, kind].filter(Boolean).join('.');
}

/** Adds the schema of a kind: that of its CustomResourceDefinition, or of the built-in type. */
function addSchema(schemas: SchemaTable, definition: ServedResource, openApi: OpenApiVersion): void {
  const { group, version, kind, custom } = definition;
  const identity = { 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
  if (custom) {
    addCustomSchema(schemas, definition, openApi, identity);
    return;
  }
  const type = typeOfKind(groupVersion(group, version), kind);
  const name = type ? addBuiltInSchema(schemas, type, openApi) : schemaName(definition);
  const anyFields = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  schemas[name] = { ...(schemas[name] ?? anyFields), ...identity };
}

function addCustomSchema(schemas: SchemaTable, definition: ServedResource, openApi: OpenApiVersion, identity: object): void {
  const { group, version, listKind, custom } = definition;
  const refer = (name: string) => ({ $ref: `${openApi === 3 ? '#/components/schemas/' : '#/definitions/'}${name}` });
  const metadataOf = (type: ObjectType | undefined) => (type ? refer(addBuiltInSchema(schemas, type, openApi)) : { type: 'object' });
  const name = schemaName(definition);
  schemas[name] = { ...customOpenApi(custom?.schema, openApi, metadataOf(metadataFields())), ...identity };
  const list = customListOpenApi(definition, openApi, refer(name), metadataOf(listMetadataFields()));
  schemas[schemaName({ ...definition, kind: listKind })] = {
    ...list,
    'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }],
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
  const schemas: SchemaTable = {};
  for (const definition of definitions) addSchema(schemas, definition, 3);
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

/** `GET /openapi/v2`: all kinds in one document. */
export function openApiV2(registry: ResourceRegistry): OpenApiV2 {
  const definitions: SchemaTable = {};
  for (const definition of registry.list()) addSchema(definitions, definition, 2);
  return { swagger: '2.0', info, paths: {}, definitions };
}

interface OpenApiV2 {
  swagger: string;
  info: unknown;
  paths: Record<string, unknown>;
  definitions: Record<string, unknown>;
}

/** A document with the paths and definitions of others that it does not have. */
export function mergeOpenApiV2(own: OpenApiV2, others: readonly Record<string, unknown>[]): OpenApiV2 {
  const merged = (field: 'paths' | 'definitions') => Object.assign({}, ...others.map((each) => each[field]), own[field]);
  return { ...own, paths: merged('paths'), definitions: merged('definitions') };
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
