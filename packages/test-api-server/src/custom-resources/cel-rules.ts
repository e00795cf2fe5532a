import { equalJson, isObject } from '@nodeagent/api/helpers';
import { adapt } from '../cel/adapt.js';
import { type CelProgram, compile, perCallCostLimit } from '../cel/cel.js';
import { CelCompileError, CelCostError, CelEvalError } from '../cel/cel-error.js';
import { type CelType, celTypes } from '../cel/types.js';
import { CelOptional } from '../cel/values.js';
import { goJson } from '../go-json.js';
import type { KindFieldProblem } from '../kinds/kind-rules.js';
import { celTypeOf, maxCardinality } from './cel-type.js';
import { oldElements } from './list-types.js';
import { reasonProblem, rulePath } from './rule-path.js';
import { fieldSchemaOf, inside, type Schema, typeFields, type ValidationRule } from './schema.js';

/** Limits of Kubernetes: the estimated cost of an expression, that of a schema, and the cost of the rules of one object. */
const maxRuleCost = 10_000_000;
const maxSchemaCost = 100_000_000;
const costBudget = 10_000_000;

/** The rules of a schema. */
export interface SchemaRules {
  /** The problems of the rules themselves, which a cluster reports when the definition is created. */
  problems: KindFieldProblem[];
  /** Evaluates the rules of an object; `old` is the one that it replaces. */
  evaluate(object: unknown, old: unknown): KindFieldProblem[];
}

interface CompiledRule {
  rule: ValidationRule;
  program: CelProgram;
  message?: CelProgram;
  /** Whether it compares with the previous value. */
  isTransition: boolean;
}

/** A schema with its rules and those of its parts; parts without rules are absent. */
interface RuledSchema {
  schema: Schema;
  type: CelType;
  rules: CompiledRule[];
  fields: Map<string, RuledSchema>;
  items?: RuledSchema;
  values?: RuledSchema;
}

/** What the walk through a schema collects. */
interface Collected {
  problems: KindFieldProblem[];
  costs: { field: string; cost: number }[];
}

const tooExpensive =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

/** Compiles the rules of a schema, with their problems. Kubernetes documentation, "CustomResourceDefinitions: Validation rules". */
export function schemaRules(schema: Schema, field: string): SchemaRules {
  const collected: Collected = { problems: [], costs: [] };
  const ruled = ruledSchema(schema, { field, cardinality: 1, isRoot: true }, collected);
  const total = collected.costs.reduce((sum, { cost }) => sum + cost, 0);
  if (total > maxSchemaCost) {
    const most = collected.costs.filter(({ cost }) => cost >= maxSchemaCost / 100).sort((a, b) => b.cost - a.cost);
    for (const each of most.slice(0, 4)) {
      collected.problems.push({
        field: each.field,
        problem: 'Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      });
    }
    const problem = `Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of ${factor(total, maxSchemaCost)} ${tooExpensive}`;
    collected.problems.push({ field, problem });
  }
  return {
    problems: collected.problems,
    evaluate(object, old) {
      if (ruled === undefined) return [];
      const run: Run = { problems: [], budget: costBudget, isUpdate: old !== undefined };
      evaluateSchema(ruled, object, old, '', run);
      return run.problems;
    },
  };
}

function factor(cost: number, limit: number): string {
  const times = cost / limit;
  // More digits than one show that it is more than once.
  return times > 100 ? 'more than 100x' : `${times.toFixed(times < 1.5 ? 6 : 1)}x`;
}

const times = (a: number | undefined, b: number | undefined) => (a === undefined || b === undefined ? undefined : a * Math.max(0, b));

interface Position {
  field: string;
  /** How often its values can occur in an object; undefined if only the size of a request limits that. */
  cardinality: number | undefined;
  isRoot?: boolean;
  /** The first list or map around it that has no keys by which its previous value could be found. */
  uncorrelatable?: string;
}

function ruledSchema(schema: Schema, position: Position, collected: Collected): RuledSchema | undefined {
  const { field, cardinality, isRoot } = position;
  const around = position.uncorrelatable === undefined ? {} : { uncorrelatable: position.uncorrelatable };
  const within = (hasKeys: boolean) => (hasKeys ? around : { uncorrelatable: field, ...around });
  const isGranular = schema['x-kubernetes-map-type'] !== 'atomic';
  const declared = schema['x-kubernetes-validations'] ?? [];
  const type = celTypeOf(schema, isRoot ?? schema['x-kubernetes-embedded-resource']) ?? celTypes.dyn;
  const rules = declared.flatMap((rule, index) =>
    compiledRule(rule, schema, type, { ...position, field: `${field}.x-kubernetes-validations[${index}]` }, collected),
  );
  const fields = new Map<string, RuledSchema>();
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    const inner = ruledSchema(part, { field: `${field}.properties[${name}]`, cardinality, ...within(isGranular) }, collected);
    if (inner) fields.set(name, inner);
  }
  const isMerged = schema['x-kubernetes-list-type'] === 'map';
  const items =
    schema.items &&
    ruledSchema(
      schema.items,
      { field: `${field}.items`, cardinality: times(cardinality, schema.maxItems), ...within(isMerged) },
      collected,
    );
  const open = isObject(schema.additionalProperties) ? (schema.additionalProperties as Schema) : undefined;
  const values =
    open &&
    ruledSchema(
      open,
      { field: `${field}.additionalProperties`, cardinality: times(cardinality, schema.maxProperties), ...within(isGranular) },
      collected,
    );
  if (rules.length === 0 && fields.size === 0 && !items && !values) return undefined;
  return { schema, type, rules, fields, ...(items && { items }), ...(values && { values }) };
}

function compiledRule(rule: ValidationRule, schema: Schema, type: CelType, position: Position, collected: Collected): CompiledRule[] {
  const { field, cardinality, uncorrelatable } = position;
  const report = (part: string, problem: string) => void collected.problems.push({ field: `${field}.${part}`, problem });
  const problemCount = collected.problems.length;
  checkParts(rule, schema, report);
  const old: CelType = rule.optionalOldSelf ? { kind: 'optional', element: type } : type;
  const program = compiled('rule', rule.rule, 'bool', rule, { self: type, oldSelf: old }, report);
  const message = rule.messageExpression
    ? compiled('messageExpression', rule.messageExpression, 'string', rule, { self: type, oldSelf: old }, report)
    : undefined;
  for (const [part, each] of [
    ['rule', program],
    ['messageExpression', message],
  ] as const) {
    if (!each) continue;
    const cost = each.estimatedCost * (part === 'rule' ? (cardinality ?? maxCardinality(schema)) : 1);
    collected.costs.push({ field: `${field}.${part}`, cost });
    if (cost > maxRuleCost)
      report(part, `Forbidden: estimated ${part} cost exceeds budget by factor of ${factor(cost, maxRuleCost)} ${tooExpensive}`);
  }
  const isTransition = program?.references.has('oldSelf') === true;
  if (isTransition && uncorrelatable !== undefined) {
    report(
      'rule',
      `Invalid value: ${JSON.stringify(rule.rule)}: oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`,
    );
  }
  if (rule.optionalOldSelf !== undefined && program && !isTransition) {
    report('optionalOldSelf', `Invalid value: ${rule.optionalOldSelf}: may not be set if oldSelf is not used in rule`);
  }
  if (!program || collected.problems.length > problemCount) return [];
  return [{ rule, program, isTransition, ...(message && { message }) }];
}

type Report = (part: string, problem: string) => void;

function checkParts(
  { rule, message = '', messageExpression = '', fieldPath = '', reason }: ValidationRule,
  schema: Schema,
  report: Report,
): void {
  const hasBreaks = (text: string) => /[\n\r]/.test(text);
  const invalid = (part: string, text: string, problem: string) => report(part, `Invalid value: ${JSON.stringify(text)}: ${problem}`);
  if (rule.trim() === '') report('rule', 'Required value: rule is not specified');
  else if (message !== '' && message.trim() === '') invalid('message', message, 'must be non-empty if specified');
  else if (hasBreaks(message.trim())) invalid('message', message, 'must not contain line breaks');
  else if (hasBreaks(rule.trim()) && message === '')
    report('message', 'Required value: message must be specified if rule contains line breaks');
  if (messageExpression !== '' && messageExpression.trim() === '')
    report('messageExpression', 'Required value: messageExpression must be non-empty if specified');
  const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
  if (reason !== undefined && !reasons.includes(reason)) {
    report(
      'reason',
      `Unsupported value: ${JSON.stringify(reason)}: supported values: ${reasons.map((each) => JSON.stringify(each)).join(', ')}`,
    );
  }
  if (fieldPath === '') return;
  if (fieldPath.trim() === '') invalid('fieldPath', fieldPath, 'must be non-empty if specified');
  if (hasBreaks(fieldPath)) invalid('fieldPath', fieldPath, 'must not contain line breaks');
  if (rulePath(fieldPath, schema) === undefined) invalid('fieldPath', fieldPath, 'must be a valid path');
}

/** An expression of a rule; undefined if it has problems. */
function compiled(
  part: 'rule' | 'messageExpression',
  expression: string,
  kind: string,
  rule: ValidationRule,
  variables: Record<string, CelType>,
  report: Report,
): CelProgram | undefined {
  if (expression.trim() === '') return undefined;
  const wrong = (problem: string) => report(part, `Invalid value: ${shownRule(rule)}: ${problem}`);
  try {
    const program = compile(expression, { variables });
    if (program.type.kind === kind) return program;
    wrong(part === 'rule' ? 'cel expression must evaluate to a bool' : 'messageExpression must evaluate to a string');
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    wrong(`${part === 'rule' ? 'compilation failed' : 'messageExpression compilation failed'}: ${error.message}`);
  }
  return undefined;
}

/** A rule as errors of clusters show it: in JSON as Go writes that. */
function shownRule({ rule, message = '', messageExpression = '', reason, fieldPath = '', optionalOldSelf }: ValidationRule): string {
  const shown = {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  };
  return goJson(shown);
}

/** The evaluation of the rules of one object. */
interface Run {
  problems: KindFieldProblem[];
  budget: number;
  isUpdate: boolean;
}

function evaluateSchema(ruled: RuledSchema, value: unknown, old: unknown, path: string, run: Run): void {
  if (value === null || value === undefined || run.budget < 0) return;
  for (const rule of ruled.rules) evaluateRule(rule, ruled, value, old, path, run);
  if (Array.isArray(value)) {
    const before = oldElements(old, ruled.schema);
    const { items } = ruled;
    if (items) for (const [index, item] of value.entries()) evaluateSchema(items, item, before(item), `${path}[${index}]`, run);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (path === '' && typeFields.includes(name)) continue;
    const isField = fieldSchemaOf({ properties: ruled.schema.properties ?? {} }, name) !== undefined;
    const part = isField ? ruled.fields.get(name) : ruled.values;
    const at = isField ? inside(path, name) : `${path}[${name}]`;
    if (part) evaluateSchema(part, inner, isObject(old) ? old[name] : undefined, at, run);
  }
}

function evaluateRule(
  { rule, program, message, isTransition }: CompiledRule,
  { schema, type }: RuledSchema,
  value: unknown,
  old: unknown,
  path: string,
  run: Run,
): void {
  if (run.budget < 0) return;
  const hasOld = old !== undefined && old !== null;
  if (isTransition && !hasOld && !rule.optionalOldSelf) return;
  // Validation ratcheting: what an update does not change is not checked again, unless the rule compares.
  if (!isTransition && hasOld && equalJson(old, value)) return;
  const oldSelf = rule.optionalOldSelf ? new CelOptional(hasOld ? adapt(old, type) : undefined) : old;
  const variables = { self: value, oldSelf };
  const shownType = schema['x-kubernetes-int-or-string'] ? '' : (schema.type ?? '');
  const report = (text: string, reason?: string) => {
    const at = rule.fieldPath ? rulePath(rule.fieldPath, schema) : undefined;
    run.problems.push({
      field: at ? `${path}${path === '' ? at.replace(/^\./, '') : at}` : path,
      problem: reasonProblem(reason, shownType, text),
    });
  };
  try {
    const { value: result, cost } = program.evaluate(variables, { costLimit: Math.min(perCallCostLimit, run.budget) });
    run.budget -= cost;
    if (result === true) return;
    report(ruleMessage(rule, message, variables, run), rule.reason);
  } catch (error) {
    if (error instanceof CelCostError) {
      const isCall = run.budget > perCallCostLimit;
      run.budget = -1;
      report(
        isCall
          ? `call cost exceeds limit for rule: ${JSON.stringify(rule.rule)}, no further validation rules will be run`
          : 'validation failed due to running out of cost budget, no further validation rules will be run',
      );
    } else if (error instanceof CelEvalError) report(`${error.message} evaluating rule: ${rule.message || rule.rule}`);
    else throw error;
  }
}

/** The message of a rule that failed; an expression without a usable result falls back to the message. */
function ruleMessage(
  { rule, message }: ValidationRule,
  expression: CelProgram | undefined,
  variables: Record<string, unknown>,
  run: Run,
): string {
  const fallback = message || `failed rule: ${rule}`;
  if (!expression) return fallback;
  try {
    const { value, cost } = expression.evaluate(variables, { costLimit: Math.min(perCallCostLimit, run.budget) });
    run.budget -= cost;
    const isUsable = typeof value === 'string' && value.trim() !== '' && !/[\n\r]/.test(value) && value.length <= 5120;
    return isUsable ? value.trim() : fallback;
  } catch (error) {
    if (error instanceof CelEvalError || error instanceof CelCostError) return fallback;
    throw error;
  }
}
