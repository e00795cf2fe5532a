import { dnsSubdomainProblems, equalJson, isObject } from '@nodeagent/api/helpers';
import { dns1035LabelProblems } from '../dns-1035-label.js';
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
  const { group = '', names, scope } = spec;
  const versions = (spec.versions ?? []).map((each) => each ?? {});
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
  problems.push(...versionsProblems(versions, spec.versions ?? null));
  problems.push(...conversionProblems(spec.conversion), ...storedVersionProblems(object, versions));
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
    else for (const rule of dns1035LabelProblems(value.toLowerCase())) problems.push(wrong(`spec.names.${field}`, value, rule));
  };
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const) check(field, names[field]);
  if (names.kind && names.kind === names.listKind)
    problems.push(wrong('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'));
  for (const field of ['shortNames', 'categories'] as const) {
    for (const [index, value] of (names[field] ?? []).entries()) check(`${field}[${index}]`, value);
  }
  return problems;
}

/** The parts of versions that are fields of the spec where all versions have the same, with those fields. */
const sharedFields = {
  schema: 'spec.validation',
  subresources: 'spec.subresources',
  additionalPrinterColumns: 'spec.additionalPrinterColumns',
  selectableFields: 'spec.selectableFields',
} as const;
type SharedPart = keyof typeof sharedFields;

function versionsProblems(versions: readonly DefinitionVersion[], given: readonly unknown[] | null): KindFieldProblem[] {
  const problems: KindFieldProblem[] = [];
  const isShared = (part: SharedPart) => versions.every((each) => equalJson(each[part] ?? null, versions[0]?.[part] ?? null));
  for (const [index, version] of versions.entries()) {
    const fieldOf = (part: SharedPart) => {
      if (isShared(part) && version[part]) return index === 0 ? sharedFields[part] : undefined;
      return `spec.versions[${index}].${part}`;
    };
    problems.push(...versionProblems(version, `spec.versions[${index}]`, fieldOf));
  }
  const names = new Set(versions.map(({ name }) => name));
  const shown = given && versions.map((version) => shownVersion(version, isShared));
  if (names.size < versions.length) problems.push(wrong('spec.versions', shown, 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1)
    problems.push(wrong('spec.versions', shown, 'must have exactly one version marked as storage version'));
  return problems;
}

/** A version as errors of clusters show it. */
function shownVersion(version: DefinitionVersion, isShared: (part: SharedPart) => boolean): Record<string, unknown> {
  const own = (part: SharedPart) => (isShared(part) ? null : (version[part] ?? null));
  return {
    Name: version.name ?? '',
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: own('schema'),
    Subresources: own('subresources'),
    AdditionalPrinterColumns: own('additionalPrinterColumns'),
    SelectableFields: own('selectableFields'),
  };
}

/** The problems of a version; `fieldOf` has no field for parts that an earlier version shares. */
function versionProblems(version: DefinitionVersion, field: string, fieldOf: (part: SharedPart) => string | undefined): KindFieldProblem[] {
  const { name = '', schema, additionalPrinterColumns, subresources, selectableFields } = version;
  const openApi = schema?.openAPIV3Schema;
  const problems: KindFieldProblem[] = [];
  if (!isObject(openApi)) problems.push(required(`${field}.schema.openAPIV3Schema`));
  problems.push(...dns1035LabelProblems(name).map((rule) => wrong(`${field}.name`, name, rule)));
  if (version.deprecationWarning !== undefined && !version.deprecated) {
    problems.push(wrong(`${field}.deprecationWarning`, version.deprecationWarning, 'can only be set for deprecated versions'));
  }
  const [schemaField, partsField, columnsField, selectableField] = (Object.keys(sharedFields) as SharedPart[]).map(fieldOf);
  if (schemaField && isObject(openApi)) problems.push(...schemaFieldProblems(openApi as Schema, `${schemaField}.openAPIV3Schema`));
  if (partsField) problems.push(...scaleProblems(subresources?.scale, `${partsField}.scale`));
  if (columnsField) {
    for (const [at, column] of (additionalPrinterColumns ?? []).entries())
      problems.push(...columnProblems(column, `${columnsField}[${at}]`));
  }
  if (selectableField && isObject(openApi))
    problems.push(...selectableProblems(selectableFields ?? [], openApi as Schema, selectableField));
  return problems;
}

/** The problems of a schema; its rules are only compiled if it is structural. */
function schemaFieldProblems(schema: Schema, field: string): KindFieldProblem[] {
  const problems = structuralProblems(schema, field);
  return problems.length > 0 ? problems : (rulesOfSchema(schema, field)?.problems ?? []);
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];

function columnProblems({ name, type, jsonPath }: { name?: string; type?: string; jsonPath?: string }, field: string): KindFieldProblem[] {
  const problems: KindFieldProblem[] = [];
  if (!name) problems.push(required(`${field}.name`));
  if (!type) problems.push(required(`${field}.type`, `must be one of ${columnTypes.join(',')}`));
  else if (!columnTypes.includes(type)) problems.push(wrong(`${field}.type`, type, `must be one of ${columnTypes.join(',')}`));
  if (!jsonPath) problems.push(required(`${field}.JSONPath`));
  else if (!jsonPath.startsWith('.')) problems.push(wrong(`${field}.JSONPath`, jsonPath, 'must be a simple json path starting with .'));
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

function storedVersionProblems(object: ApiObject, versions: readonly DefinitionVersion[]): KindFieldProblem[] {
  const names = versions.map(({ name }) => name);
  const stored = statusOf(object).storedVersions ?? [];
  if (stored.length === 0) return [wrong('status.storedVersions', null, 'must have at least one stored version')];
  return stored.flatMap((name, index) =>
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
