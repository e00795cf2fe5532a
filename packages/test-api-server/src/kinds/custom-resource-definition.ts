import { isObject } from '@nodeagent/api/helpers';
import type { AdditionalPrinterColumn } from '@nodeagent/pod-view';
import { timestamp } from '../context.js';
import { copyJson } from '../copy-json.js';
import type { ApiObject } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';
import { fillIn } from './workloads.js';

interface DefinitionVersion {
  name: string;
  served?: boolean;
  storage?: boolean;
  schema?: { openAPIV3Schema?: Record<string, unknown> };
  subresources?: { status?: object; scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string } };
  additionalPrinterColumns?: AdditionalPrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

interface DefinitionSpec {
  group?: string;
  scope?: string;
  names?: { plural?: string; singular?: string; kind?: string; listKind?: string; shortNames?: string[]; categories?: string[] };
  versions?: DefinitionVersion[];
}

const specOf = (object: ApiObject) => (isObject(object.spec) ? (object.spec as DefinitionSpec) : {});

/** A valid definition is served as soon as it is created; its conditions report that at once. */
export const definitionRules: KindRules = {
  prepareCreate(object, context) {
    prepareNames(object);
    const { names, versions = [] } = specOf(object);
    const now = timestamp(context);
    const condition = (type: string, reason: string, message: string) => ({
      type,
      status: 'True',
      lastTransitionTime: now,
      reason,
      message,
    });
    object.status = {
      acceptedNames: copyJson(names),
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
      storedVersions: versions.filter(({ storage }) => storage).map(({ name }) => name),
    };
  },
  prepareUpdate: prepareNames,
  validate(object): KindFieldProblem[] {
    const { group = '', names, versions = [], scope } = specOf(object);
    const missing = Object.entries({ group, scope, 'names.plural': names?.plural, 'names.kind': names?.kind })
      .filter(([, value]) => !value)
      .map(([field]) => ({ field: `spec.${field}`, problem: 'Required value' }));
    if (missing.length > 0) return missing;
    const problems: KindFieldProblem[] = [];
    if (object.metadata.name !== `${names?.plural}.${group}`) {
      const problem = `Invalid value: "${object.metadata.name}": must be spec.names.plural+"."+spec.group`;
      problems.push({ field: 'metadata.name', problem });
    }
    if (versions.filter(({ storage }) => storage).length !== 1) {
      problems.push({ field: 'spec.versions', problem: 'Invalid value: must have exactly one version marked as storage version' });
    }
    for (const [index, { schema }] of versions.entries()) {
      if (schema?.openAPIV3Schema) continue;
      problems.push({ field: `spec.versions[${index}].schema.openAPIV3Schema`, problem: 'Required value: schemas are required' });
    }
    return problems;
  },
};

function prepareNames(object: ApiObject): void {
  const { names } = specOf(object);
  if (!names?.kind) return;
  fillIn(names, { singular: names.kind.toLowerCase(), listKind: `${names.kind}List` });
  fillIn(object, { spec: { conversion: { strategy: 'None' } } });
}

/** The resources that a CustomResourceDefinition defines, the stored version first. */
export function resourcesOf(object: ApiObject): ServedResource[] {
  const { group = '', names = {}, versions = [], scope } = specOf(object);
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names;
  const served = versions.filter(({ served }) => served !== false);
  const ordered = [...served.filter(({ storage }) => storage), ...served.filter(({ storage }) => !storage)];
  return ordered.map(({ name, schema, subresources, additionalPrinterColumns, selectableFields }) => ({
    group,
    version: name,
    resource: plural,
    singular,
    kind,
    listKind,
    namespaced: scope === 'Namespaced',
    shortNames,
    categories,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    subresources: [
      ...(subresources?.status ? [{ name: 'status', kind, verbs: ['get', 'patch', 'update'] as const }] : []),
      ...(subresources?.scale
        ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get', 'patch', 'update'] as const }]
        : []),
    ],
    countsGenerations: true,
    selectableFields: Object.fromEntries((selectableFields ?? []).map(({ jsonPath }) => [jsonPath.replace(/^\./, ''), ''])),
    storage: `${group}/${plural}`,
    custom: {
      ...(schema?.openAPIV3Schema && { schema: schema.openAPIV3Schema }),
      ...(additionalPrinterColumns && { printerColumns: additionalPrinterColumns }),
      ...(subresources?.scale && { scale: subresources.scale }),
    },
  }));
}
