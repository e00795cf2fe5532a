import type { ApiContext } from '../context.js';
import { type ApiObject, groupVersion } from '../objects.js';
import type { CustomResource, ServedResource, Subresource } from '../registry/resource.js';
import { webhookConverter } from './conversion.js';
import { comparePriority, type DefinitionVersion, specOf, statusOf } from './definition-spec.js';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;
const partVerbs = ['get', 'patch', 'update'] as const;

/** The resources that a CustomResourceDefinition defines: its served versions by priority, with the accepted names. */
export function resourcesOf(definition: ApiObject, context: ApiContext): ServedResource[] {
  const { group = '', versions = [], scope } = specOf(definition);
  const {
    plural = '',
    singular = '',
    kind = '',
    listKind = '',
    shortNames = [],
    categories = [],
  } = statusOf(definition).acceptedNames ?? {};
  const served = versions.filter(({ served }) => served !== false).sort((a, b) => comparePriority(a.name, b.name));
  const storageVersion = versions.find(({ storage }) => storage)?.name ?? '';
  const converter = webhookConverter(definition, context);
  return served.map((version) => ({
    ...{ group, version: version.name, resource: plural, singular, kind, listKind, shortNames, categories, verbs },
    namespaced: scope === 'Namespaced',
    subresources: subresourcesOf(version, kind),
    countsGenerations: true,
    selectableFields: Object.fromEntries((version.selectableFields ?? []).map(({ jsonPath = '' }) => [jsonPath.replace(/^\./, ''), ''])),
    storage: `${group}/${plural}`,
    custom: { ...customOf(definition, version, storageVersion), ...(converter && { converter }) },
  }));
}

function subresourcesOf({ subresources }: DefinitionVersion, kind: string): Subresource[] {
  return [
    ...(subresources?.status ? [{ name: 'status', kind, verbs: partVerbs }] : []),
    ...(subresources?.scale ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: partVerbs }] : []),
  ];
}

function customOf(definition: ApiObject, version: DefinitionVersion, storageVersion: string): CustomResource {
  const { schema, additionalPrinterColumns, subresources, deprecated, deprecationWarning } = version;
  const { group = '', names } = specOf(definition);
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = subresources?.scale ?? {};
  const apiVersion = groupVersion(group, version.name);
  const warning = deprecated ? (deprecationWarning ?? `${apiVersion} ${names?.kind ?? ''} is deprecated`) : undefined;
  return {
    storageVersion,
    isTerminating: definition.metadata.deletionTimestamp !== undefined,
    ...(schema?.openAPIV3Schema && { schema: schema.openAPIV3Schema }),
    ...(additionalPrinterColumns && { printerColumns: additionalPrinterColumns }),
    ...(specReplicasPath &&
      statusReplicasPath && { scale: { specReplicasPath, statusReplicasPath, ...(labelSelectorPath && { labelSelectorPath }) } }),
    ...(warning && { warning }),
  };
}
