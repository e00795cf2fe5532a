import { isObject } from '@nodeagent/api/helpers';
import { AnswerNeeded } from '../requests/known-answers.js';
import { loadModule } from '../requests/module-loads.js';
import type { SchemaRules } from './cel-rules.js';
import type { Schema } from './schema.js';

type RulesModule = typeof import('./cel-rules.js');

let loaded: RulesModule | undefined;

/**
 * Loads the evaluator of CEL, which only schemas with `x-kubernetes-validations` need. Requests load it by themselves; `objects`, whose
 * methods do not wait, needs it before.
 */
export async function loadCel(): Promise<void> {
  loaded ??= await loadModule(() => import('./cel-rules.js'));
}

/** A request loads CEL and runs again; callers that cannot wait get this error. */
class CelNeeded extends AnswerNeeded {
  override readonly message = 'cannot evaluate x-kubernetes-validations before CEL is loaded: await loadCel() first, or send a request';

  constructor() {
    super('cel', loadCel);
  }
}

/** Whether a schema has rules. */
export function hasRules(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasRules);
  if (!isObject(schema)) return false;
  return Object.entries(schema).some(([name, value]) =>
    name === 'x-kubernetes-validations' ? Array.isArray(value) && value.length > 0 : hasRules(value),
  );
}

const compiled = new WeakMap<Schema, SchemaRules>();

/** The rules of a schema; undefined without rules. Throws {@link CelNeeded}. */
export function rulesOfSchema(schema: Schema, field = ''): SchemaRules | undefined {
  const known = compiled.get(schema);
  if (known) return known;
  if (!hasRules(schema)) return undefined;
  if (loaded === undefined) throw new CelNeeded();
  const rules = loaded.schemaRules(schema, field);
  compiled.set(schema, rules);
  return rules;
}
