import type { ConfigMap, Secret } from '@nodeagent/api';
import { encodeBase64, isObject } from '@nodeagent/api/helpers';
import { createFieldProblems, type FieldProblem } from '../field-problem.js';
import { checkTypes, type TypeReport } from './check-types.js';
import { objectMeta } from './meta-schema.js';
import { flag, struct, text, textMap } from './schema.js';

/** An object of a manifest that serves the pods beside it. */
export type LocalObject = (ConfigMap & { kind: 'ConfigMap' }) | (Secret & { kind: 'Secret' });

const schemas = {
  ConfigMap: struct({ apiVersion: text, kind: text, metadata: objectMeta, data: textMap, binaryData: textMap, immutable: flag }),
  Secret: struct({ apiVersion: text, kind: text, metadata: objectMeta, type: text, data: textMap, stringData: textMap, immutable: flag }),
};

/** The kind of an object of `v1` that pods refer to; undefined for other values. */
export function localKind(value: unknown): LocalObject['kind'] | undefined {
  if (!isObject(value) || value.apiVersion !== 'v1') return undefined;
  return value.kind === 'ConfigMap' || value.kind === 'Secret' ? value.kind : undefined;
}

/** The object as the API server stores it: with a namespace, and `stringData` as `data`. Problems never contain a value of it. */
export function decodeLocalObject(
  value: unknown,
  kind: LocalObject['kind'],
  written: TypeReport['written'],
): { object?: LocalObject; problems: FieldProblem[]; warnings: string[] } {
  const unfit = unfitValues(value);
  if (unfit.length > 0) return { problems: unfit, warnings: [] };
  const report = { problems: createFieldProblems(), warnings: [] as string[], written };
  const decoded = checkTypes(value, schemas[kind], '', report) as ConfigMap & Secret;
  const { metadata = {}, stringData, ...object } = decoded;
  if (!metadata.name) report.problems.required('metadata.name');
  const { list: problems } = report.problems;
  if (problems.length > 0) return { problems, warnings: report.warnings };
  const named = { ...object, metadata: { ...metadata, namespace: metadata.namespace || 'default' } };
  if (kind === 'ConfigMap') return { object: { ...named, kind }, problems, warnings: report.warnings };
  const encoded = Object.entries(stringData ?? {}).map(([key, plain]) => [key, encodeBase64(new TextEncoder().encode(plain))]);
  const data = { ...named.data, ...Object.fromEntries(encoded) };
  return { object: { ...named, kind, data }, problems, warnings: report.warnings };
}

const base64 = /^[A-Za-z0-9+/\s]*[=\s]*$/;

/** Values that are no text, or no base64 where that is required. */
function unfitValues(value: unknown): FieldProblem[] {
  if (!isObject(value)) return [];
  const encodedField = value.kind === 'Secret' ? 'data' : 'binaryData';
  return ['data', 'stringData', 'binaryData'].flatMap((field) =>
    Object.entries(isObject(value[field]) ? value[field] : {}).flatMap(([key, entry]): FieldProblem[] => {
      if (typeof entry !== 'string') return [{ field: `${field}[${key}]`, problem: 'must be text', hint: 'put the value in quotes' }];
      if (field !== encodedField || base64.test(entry)) return [];
      return [{ field: `${field}[${key}]`, problem: 'must be base64', hint: 'a Secret has plain text in stringData' }];
    }),
  );
}
