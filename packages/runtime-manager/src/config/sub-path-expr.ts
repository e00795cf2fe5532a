import { NodeAgentError } from '@nodeagent/api';
import { type EnvironmentVariable, expand } from '@nodeagent/api/helpers';
import { runtimeManagerErrorCodes } from '../errors.js';

/** A volume mount's `subPathExpr` with variables expanded. Throws `MissingVariable` if one is unset or empty. */
export function expandSubPathExpr(expression: string, environment: readonly EnvironmentVariable[]): string {
  const values = new Map(environment.map((variable) => [variable.name, variable.value]));
  const missing = new Set<string>();
  const path = expand(expression, (name) => {
    const value = values.get(name);
    if (!value) missing.add(name);
    return value;
  });
  if (missing.size === 0) return path;
  const names = Array.from(missing).sort();
  throw new NodeAgentError(runtimeManagerErrorCodes.missingVariable, `missing value for ${names.join(', ')}`, {
    details: { expression, missing: names },
    hint: 'give the container environment variables of these names, with a value that is not empty',
  });
}
