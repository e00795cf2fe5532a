import { dnsLabelProblems, dnsSubdomainProblems, equalJson, isObject } from '@nodeagent/api/helpers';
import type { KindFieldProblem } from '../kinds/kind-rules.js';
import type { ApiObject } from '../objects.js';
import { conversionProblems } from './conversion-problems.js';
import { type DefinitionSpec, type DefinitionVersion, specOf, statusOf } from './definition-spec.js';
import { rulePath } from './rule-path.js';
import { rulesOfSchema } from './rules-loader.js';
import type { Schema } from './schema.js';
import { structuralProblems } from './structural.js';

const problem = (field: string, text: string): KindFieldProblem => ({ field, problem: text });
const required = (field: string, text = ''): KindFieldProblem => problem(field, `Required value${text && `: ${text}`}`);
const wrong = (field: string, value: unknown, text: string) => problem(field, `Invalid value: ${JSON.stringify(value) ?? 'null'}: ${text}`);

/** The problems of a definition. Kubernetes API reference, "CustomResourceDefinition". */
export function specProblems(object: ApiObject): KindFieldProblem[] {
  const spec = specOf(object);
  const { group = '', names, versions = [], scope } = spec;
  const problems: KindFieldProblem[] = [];
  const name = `${names?.plural ?? ''}.${group}`;
  if (object.metadata.name !== name)
    problems.push(wrong('metadata.name', object.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  problems.push(...groupProblems(object, group), ...scopeProblems(scope), ...nameProblems(spec));
  if (spec.preserveUnknownFields === true) {
    problems.push(
      wrong(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    );
  }
  const stored = versions.filter(({ storage }) => storage);
  if (stored.length !== 1)
    problems.push(
      wrong(
        'spec.versions',
        versions.map(({ name }) => name),
        'must have exactly one version marked as storage version',
      ),
    );
  for (const [index, version] of versions.entries()) problems.push(...versionProblems(version, versions, index));
  problems.push(...conversionProblems(spec.conversion), ...storedVersionProblems(object, spec));
  return problems;
}

/** Groups of the Kubernetes project need an approval. */
function groupProblems({ metadata }: ApiObject, group: string): KindFieldProblem[] {
  if (group === '') return [required('spec.group')];
  const problems = dnsSubdomainProblems(group).map((rule) => wrong('spec.group', group, rule));
  if (!group.includes('.')) problems.push(wrong('spec.group', group, 'should be a domain with at least one dot'));
  const isProtected = /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group);
  if (!isProtected || metadata.annotations?.['api-approved.kubernetes.io']) return problems;
  const link = 'https://github.com/kubernetes/enhancements/pull/1111';
  return [
    ...problems,
    required(
      'metadata.annotations[api-approved.kubernetes.io]',
      `protected groups must have approval annotation "api-approved.kubernetes.io", see ${link}`,
    ),
  ];
}

function scopeProblems(scope: string | undefined): KindFieldProblem[] {
  if (!scope) return [required('spec.scope')];
  return scope === 'Cluster' || scope === 'Namespaced'
    ? []
    : [problem('spec.scope', `Unsupported value: ${JSON.stringify(scope)}: supported values: "Cluster", "Namespaced"`)];
}

function nameProblems({ names = {} }: DefinitionSpec): KindFieldProblem[] {
  const problems: KindFieldProblem[] = [];
  const check = (field: string, value: string | undefined) => {
    if (!value) problems.push(required(`spec.names.${field}`));
    else for (const rule of dnsLabelProblems(value.toLowerCase())) problems.push(wrong(`spec.names.${field}`, value, rule));
  };
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const) check(field, names[field]);
  if (names.kind && names.kind === names.listKind)
    problems.push(wrong('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'));
  for (const field of ['shortNames', 'categories'] as const) {
    for (const [index, value] of (names[field] ?? []).entries()) check(`${field}[${index}]`, value);
  }
  return problems;
}

function versionProblems(version: DefinitionVersion, versions: readonly DefinitionVersion[], index: number): KindFieldProblem[] {
  const field = `spec.versions[${index}]`;
  const { name, schema, additionalPrinterColumns = [], subresources, selectableFields = [] } = version;
  const problems = dnsLabelProblems(name ?? '').map((rule) => wrong(`${field}.name`, name, rule));
  if (versions.findIndex((each) => each.name === name) !== index)
    problems.push(wrong('spec.versions', name, 'must not contain duplicate version names'));
  if (version.deprecationWarning !== undefined && !version.deprecated) {
    problems.push(wrong(`${field}.deprecationWarning`, version.deprecationWarning, 'can only be set for deprecated versions'));
  }
  const openApi = schema?.openAPIV3Schema;
  if (!isObject(openApi)) return [...problems, required(`${field}.schema.openAPIV3Schema`, 'schemas are required')];
  problems.push(...schemaFieldProblems(openApi as Schema, `${field}.schema.openAPIV3Schema`));
  for (const [at, column] of additionalPrinterColumns.entries())
    problems.push(...columnProblems(column, `${field}.additionalPrinterColumns[${at}]`));
  problems.push(...scaleProblems(subresources?.scale, `${field}.subresources.scale`));
  problems.push(...selectableProblems(selectableFields, openApi as Schema, `${field}.selectableFields`));
  return problems;
}

/** The problems of a schema; its rules are only compiled if it is structural. */
function schemaFieldProblems(schema: Schema, field: string): KindFieldProblem[] {
  const problems = structuralProblems(schema, field);
  return problems.length > 0 ? problems : (rulesOfSchema(schema, field)?.problems ?? []);
}

const columnTypes = ['integer', 'number', 'string', 'boolean', 'date'];

function columnProblems({ name, type, jsonPath }: { name?: string; type?: string; jsonPath?: string }, field: string): KindFieldProblem[] {
  const problems: KindFieldProblem[] = [];
  if (!name) problems.push(required(`${field}.name`));
  if (!type) problems.push(required(`${field}.type`, `must be one of ${columnTypes.join(', ')}`));
  else if (!columnTypes.includes(type)) problems.push(wrong(`${field}.type`, type, `must be one of ${columnTypes.join(',')}`));
  if (!jsonPath) problems.push(required(`${field}.jsonPath`));
  else if (!jsonPath.startsWith('.')) problems.push(wrong(`${field}.jsonPath`, jsonPath, 'must be a simple json path starting with .'));
  return problems;
}

function scaleProblems(scale: NonNullable<DefinitionVersion['subresources']>['scale'], field: string): KindFieldProblem[] {
  if (!scale) return [];
  const path = (name: string, value: string | undefined, roots: string[], isOptional = false): KindFieldProblem[] => {
    if (!value) return isOptional ? [] : [required(`${field}.${name}`)];
    if (!/^(?:\.[A-Za-z_][A-Za-z0-9_-]*)+$/.test(value))
      return [wrong(`${field}.${name}`, value, 'must be a simple json path starting with .')];
    return roots.some((root) => value.startsWith(`${root}.`))
      ? []
      : [wrong(`${field}.${name}`, value, `should be a json path under ${roots.join(' or ')}`)];
  };
  return [
    ...path('specReplicasPath', scale.specReplicasPath, ['.spec']),
    ...path('statusReplicasPath', scale.statusReplicasPath, ['.status']),
    ...path('labelSelectorPath', scale.labelSelectorPath, ['.status', '.spec'], true),
  ];
}

/** Maximum number of selectable fields. */
const maxSelectableFields = 8;

function selectableProblems(fields: readonly { jsonPath?: string }[], schema: Schema, field: string): KindFieldProblem[] {
  const problems: KindFieldProblem[] = [];
  if (fields.length > maxSelectableFields)
    problems.push(problem(field, `Too many: ${fields.length}: must have at most ${maxSelectableFields} items`));
  const seen = new Set<string>();
  for (const [index, { jsonPath = '' }] of fields.entries()) {
    const at = `${field}[${index}].jsonPath`;
    if (jsonPath === '') problems.push(required(at));
    else if (seen.has(jsonPath)) problems.push(problem(at, `Duplicate value: ${JSON.stringify(jsonPath)}`));
    else if (jsonPath.startsWith('.metadata.')) problems.push(wrong(at, jsonPath, 'must not point to fields in metadata'));
    else if (rulePath(jsonPath, schema) === undefined)
      problems.push(wrong(at, jsonPath, 'is an invalid path: does not refer to a valid field'));
    else if (!['string', 'boolean', 'integer'].includes(typeAt(jsonPath, schema) ?? '')) {
      problems.push(
        wrong(
          at,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        ),
      );
    }
    seen.add(jsonPath);
  }
  return problems;
}

function typeAt(path: string, schema: Schema): string | undefined {
  return path
    .slice(1)
    .split('.')
    .reduce<Schema | undefined>((at, name) => at?.properties?.[name], schema)?.type;
}

function storedVersionProblems(object: ApiObject, { versions = [] }: DefinitionSpec): KindFieldProblem[] {
  const names = versions.map(({ name }) => name);
  return (statusOf(object).storedVersions ?? []).flatMap((name, index) =>
    names.includes(name)
      ? []
      : [
          wrong(
            `status.storedVersions[${index}]`,
            name,
            `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
          ),
        ],
  );
}

/** What an update must not change. */
export function updateProblems(object: ApiObject, before: ApiObject, isEstablished: boolean): KindFieldProblem[] {
  const [after, old] = [specOf(object), specOf(before)];
  const immutable: [field: string, value: unknown, old: unknown][] = [
    ['spec.group', after.group, old.group],
    ['spec.names.plural', after.names?.plural, old.names?.plural],
    ...(isEstablished
      ? ([
          ['spec.scope', after.scope, old.scope],
          ['spec.names.kind', after.names?.kind, old.names?.kind],
        ] as [string, unknown, unknown][])
      : []),
  ];
  return immutable
    .filter(([, value, previous]) => !equalJson(value, previous))
    .map(([field, value]) => wrong(field, value, 'field is immutable'));
}
