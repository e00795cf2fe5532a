import { adapt } from './adapt.js';
import { CelCompileError, type CelCostError, type CelEvalError } from './cel-error.js';
import { type CheckedExpr, check } from './checker.js';
import { estimateCost } from './estimate.js';
import { Evaluation } from './evaluate.js';
import { type CelFunctions, type CelOverload, functionsOf } from './functions.js';
import { libraryFunctions } from './library/library.js';
import { literalIssues } from './literal-checks.js';
import { parse } from './parser.js';
import { type CelType, celTypes } from './types.js';
import type { CelValue } from './values.js';

/** What an expression can refer to, beside the functions of Kubernetes. */
export interface CelEnvironment {
  /** The types of the variables; `dyn` for JSON without a schema. */
  variables: Readonly<Record<string, CelType>>;
  /** Further functions. */
  functions?: readonly CelOverload[];
  /** The object types of literals such as `Object{...}`; `dyn` takes any fields. */
  objectType?(name: string): CelType | undefined;
}

/** A compiled expression. */
export interface CelProgram {
  /** The type of its value. */
  readonly type: CelType;
  /** The greatest cost for values within the sizes of the variables' types; may be infinite. */
  readonly estimatedCost: number;
  /** The variables that it refers to. */
  readonly references: ReadonlySet<string>;
  /**
   * Evaluates with JSON (or CEL values) as variables; functions are called when a variable is first used. Throws a {@link CelEvalError}, or
   * a {@link CelCostError} if the cost exceeds `costLimit`.
   */
  evaluate(variables: Readonly<Record<string, unknown>>, options?: { costLimit?: number }): { value: CelValue; cost: number };
}

/** Maximum cost of one evaluation in Kubernetes. */
export const perCallCostLimit = 1_000_000;

/** Compiles an expression of CEL with the functions of Kubernetes v1.36. Throws a {@link CelCompileError}. */
export function compile(expression: string, environment: CelEnvironment): CelProgram {
  const functions = withFunctions(environment.functions);
  const checked = checkedExpression(expression, environment, functions);
  const type = checked.types.get(checked.expr) ?? celTypes.dyn;
  let estimated: number | undefined;
  return {
    type,
    references: referencesOf(checked),
    get estimatedCost() {
      estimated ??= estimateCost(checked);
      return estimated;
    },
    evaluate(variables, { costLimit = perCallCostLimit } = {}) {
      const read = new Map<string, CelValue>();
      const variable = (name: string): CelValue | undefined => {
        if (!read.has(name) && Object.hasOwn(environment.variables, name)) {
          const given = variables[name];
          read.set(name, adapt(typeof given === 'function' ? given() : given, environment.variables[name] ?? celTypes.dyn));
        }
        return read.get(name);
      };
      const evaluation = new Evaluation(checked, functions, variable, costLimit);
      const value = evaluation.run();
      return { value, cost: evaluation.cost };
    },
  };
}

function checkedExpression(expression: string, environment: CelEnvironment, functions: CelFunctions): CheckedExpr {
  const objectType = (name: string) => environment.objectType?.(name);
  const { issues, ...checked } = check(parse(expression), { variables: environment.variables, functions, objectType });
  if (issues.length > 0) throw new CelCompileError(expression, issues);
  const wrong = literalIssues(checked);
  if (wrong.length > 0) throw new CelCompileError(expression, wrong);
  return checked;
}

function withFunctions(more: readonly CelOverload[] = []): CelFunctions {
  if (more.length === 0) return libraryFunctions;
  return functionsOf([...[...libraryFunctions.values()].flat(), ...more]);
}

function referencesOf({ types }: CheckedExpr): Set<string> {
  return new Set([...types.keys()].flatMap((node) => (node.kind === 'ident' ? [node.name] : [])));
}
