import type { NodeAgentError } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { unknownToSchema } from '../custom-resources/prune.js';
import type { ApiObject } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';
import { repeatedYamlKeys, yamlKeysError } from '../requests/yaml-body.js';
import { badRequest, invalid } from '../status.js';
import { fieldsOfKind, metadataFields } from './built-in-types.js';
import { duplicateFields, fieldProblems, unknownField } from './duplicate-fields.js';
import { removeUnknown } from './unknown-fields.js';
import type { FieldValidation } from './validation-level.js';
import { findWrongType, type WrongType, wrongTypeProblem } from './wrong-types.js';

/** The default of kubectl, and of writes without a request. */
export const strictly: FieldValidation = {
  level: 'Strict',
  problems: (unknown) => unknown.map(unknownField),
  repeatedKeys: () => '',
  warn: () => {},
};

/** Number of problems that a response names. */
const maxProblems = 100;

const levels = ['Ignore', 'Strict', 'Warn'] as const;

/** The field validation of a request. `optionsKind`: such as `CreateOptions`. Throws 422 for an unknown directive. */
export function fieldValidation(
  query: URLSearchParams,
  body: unknown,
  optionsKind: string,
  warn: (warnings: readonly string[]) => void,
): FieldValidation {
  const directive = query.get('fieldValidation') ?? '';
  const level = directive === '' ? 'Warn' : levels.find((each) => each === directive);
  if (level === undefined) {
    const problem = `Unsupported value: ${JSON.stringify(directive)}: supported values: "", "Ignore", "Strict", "Warn"`;
    throw invalid({ group: 'meta.k8s.io', kind: optionsKind, name: '' }, [{ field: 'fieldValidation', problem }]);
  }
  if (typeof body !== 'string') {
    const repeated = repeatedYamlKeys(body);
    const problems = (unknown: readonly string[]) => [...(repeated ? [repeated] : []), ...unknown.map(unknownField)];
    return { level, problems, repeatedKeys: () => repeated, warn };
  }
  const lineOf = (index: number) => body.slice(0, index).split('\n').length;
  const repeatedKeys = () => yamlKeysError(duplicateFields(body).map(({ name, index }) => ({ line: lineOf(index), key: name })));
  return { level, problems: (unknown) => fieldProblems(body, unknown), repeatedKeys, warn };
}

/** Removes unknown fields from a body, and reports them and wrong types. Changes the body. Default of `refuse`: the error of an object that is sent as a whole. */
export function checkFields(
  definition: ServedResource,
  body: ApiObject,
  { level, problems: problemsOf, warn }: FieldValidation,
  refuse: (problem: string) => NodeAgentError = (problem) => cannotBeHandled(definition, problem),
): void {
  const wrong = wrongTypeIn(definition, body);
  if (wrong) throw refuse(wrongTypeProblem(wrong));
  const unknown = unknownFields(definition, body);
  if (level === 'Ignore') return;
  // The fields of a custom resource are compared with its schema after its text is decoded.
  const problems = definition.custom ? [...problemsOf([]), ...unknown.map(unknownField)] : [...problemsOf(unknown)];
  if (problems.length === 0) return;
  problems.length = Math.min(problems.length, maxProblems);
  if (level === 'Warn') warn(problems);
  else throw refuse(`strict decoding error: ${problems.join(', ')}`);
}

/** The first field of a built-in kind with a value of a wrong type; custom resources are checked by their schema. */
export function wrongTypeIn(definition: ServedResource, body: ApiObject): WrongType | undefined {
  const type = definition.custom ? undefined : fieldsOfKind(definition);
  return type && findWrongType(body as unknown as Record<string, unknown>, type);
}

/** Removes the unknown fields of a body and returns their paths; those of custom resources are removed later, by their schema. */
export function unknownFields(definition: ServedResource, body: ApiObject): string[] {
  const { custom } = definition;
  if (custom === undefined) {
    const type = fieldsOfKind(definition);
    return type ? removeUnknown(body, type) : [];
  }
  const metadata = metadataFields();
  return [
    ...(metadata && isObject(body.metadata) ? removeUnknown(body.metadata, metadata, 'metadata') : []),
    ...(custom.schema ? unknownToSchema(body, custom.schema) : []),
  ];
}

/** Refuses an apply, or warns, if its text has keys twice; other patches see only its value. */
export function checkRepeatedKeys({ level, repeatedKeys, warn }: FieldValidation): void {
  const keys = level === 'Ignore' ? '' : repeatedKeys();
  if (keys === '') return;
  const problem = `error converting YAML to JSON: ${keys}`;
  if (level === 'Strict') throw badRequest(`error strict decoding YAML: ${problem}`);
  warn([problem]);
}

const cannotBeHandled = ({ kind, version }: ServedResource, problem: string) =>
  badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);

/** The error of a patch whose result has such fields; `patch` is what the error shows. */
export const patchRefused = (patch: string, problem: string): NodeAgentError =>
  invalid({ kind: '', name: '' }, [{ field: 'patch', problem: `Invalid value: ${JSON.stringify(patch)}: ${problem}` }]);
