import type { CelType } from './types.js';

/** A constant of an expression: the types of literals. */
export type Literal = null | boolean | bigint | number | string | Uint8Array | { unsigned: bigint };

interface Node {
  /** Offset in the expression's text, in code points. */
  at: number;
}

/** A parsed expression; macros are expanded. CEL language definition, "Syntax". */
export type Expr = Node &
  (
    | { kind: 'literal'; value: Literal }
    /** `isRooted`: with a dot before it, which skips the variables of loops. */
    | { kind: 'ident'; name: string; isRooted?: boolean }
    | { kind: 'select'; operand: Expr; field: string; isTest?: boolean; isOptional?: boolean }
    | { kind: 'call'; name: string; target?: Expr; args: Expr[] }
    | { kind: 'list'; elements: { value: Expr; isOptional: boolean }[] }
    | { kind: 'map'; entries: { key: Expr; value: Expr; isOptional: boolean }[] }
    | { kind: 'struct'; type: string; fields: { name: string; value: Expr; isOptional: boolean }[] }
    | FoldExpr
  );

/** A loop over a list or the keys of a map, to which macros expand. */
export interface FoldExpr extends Node {
  kind: 'fold';
  /** One variable: element or key; two: index and element, or key and value. */
  variables: string[];
  range: Expr;
  accumulator: string;
  initial: Expr;
  condition: Expr;
  step: Expr;
  result: Expr;
}

/** A problem of an expression at an offset. */
export interface CelIssue {
  at: number;
  message: string;
}

/** Types of the nodes of a checked expression. */
export type NodeTypes = Map<Expr, CelType>;
