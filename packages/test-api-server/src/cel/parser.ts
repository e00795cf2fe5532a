import type { Expr } from './expr.js';
import { expandMacro } from './macros.js';
import { SyntaxIssue, type Token, tokensOf } from './tokens.js';

/** Limits of the reference implementation of CEL. */
const maxDepth = 250;
const maxLength = 100_000;

const reserved = new Set('as break const continue else for function if import let loop package namespace return var void while'.split(' '));

/** Binary operators by precedence, lowest first, with their functions. */
const levels: readonly Readonly<Record<string, string>>[] = [
  { '||': '_||_' },
  { '&&': '_&&_' },
  { '<': '_<_', '<=': '_<=_', '>': '_>_', '>=': '_>=_', '==': '_==_', '!=': '_!=_', in: '@in' },
  { '+': '_+_', '-': '_-_' },
  { '*': '_*_', '/': '_/_', '%': '_%_' },
];

/** Parses an expression. Throws a {@link SyntaxIssue}. */
export function parse(text: string): Expr {
  if (text.length > maxLength)
    throw new SyntaxIssue(0, `expression code point size exceeds limit: size: ${text.length}, limit ${maxLength}`);
  return new Parser(tokensOf(text)).whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expr {
    const expr = this.#expression();
    const { kind, text, at } = this.#peek();
    if (kind !== 'end') throw new SyntaxIssue(at, `mismatched input '${text}' expecting <EOF>`);
    return expr;
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#next++;
    return token;
  }

  #is(text: string): boolean {
    const token = this.#peek();
    return token.text === text && token.kind !== 'literal';
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#next++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw new SyntaxIssue(this.#peek().at, `mismatched input '${this.#peek().text}' expecting '${text}'`);
  }

  #unexpected(): SyntaxIssue {
    const { text, at } = this.#peek();
    return new SyntaxIssue(
      at,
      `mismatched input '${text}' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`,
    );
  }

  #expression(): Expr {
    if (++this.#depth > maxDepth) throw new SyntaxIssue(this.#peek().at, `expression recursion limit exceeded: ${maxDepth}`);
    const condition = this.#binary(0);
    const { at } = this.#peek();
    let expr = condition;
    if (this.#accept('?')) {
      const yes = this.#binary(0);
      this.#expect(':');
      expr = { kind: 'call', name: '_?_:_', args: [condition, yes, this.#expression()], at };
    }
    this.#depth--;
    return expr;
  }

  #binary(level: number): Expr {
    const names = levels[level];
    if (names === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    let count = 0;
    for (;;) {
      const { text, kind, at } = this.#peek();
      const name = kind !== 'literal' && Object.hasOwn(names, text) ? names[text] : undefined;
      if (name === undefined) return left;
      if (++count > maxDepth * 8) throw new SyntaxIssue(at, `expression recursion limit exceeded: ${maxDepth}`);
      this.#next++;
      left = { kind: 'call', name, args: [left, this.#binary(level + 1)], at };
    }
  }

  #unary(): Expr {
    const { text, at } = this.#peek();
    if (!this.#is('!') && !this.#is('-')) return this.#member();
    let count = 0;
    while (this.#accept(text)) count++;
    const next = this.#peek();
    if (text === '-' && count % 2 === 1 && (typeof next.value === 'bigint' || typeof next.value === 'number')) {
      // A minus before a number belongs to the literal, so that the least int can be written.
      this.#next++;
      return this.#members({ kind: 'literal', value: -next.value, at });
    }
    const operand = this.#member();
    return count % 2 === 0 ? operand : { kind: 'call', name: text === '!' ? '!_' : '-_', args: [operand], at };
  }

  #member(): Expr {
    const { value, at } = this.#peek();
    if (typeof value === 'bigint' && value === 1n << 63n) throw new SyntaxIssue(at, 'invalid int literal');
    return this.#members(this.#primary());
  }

  #members(first: Expr): Expr {
    let expr = first;
    let count = 0;
    for (;;) {
      const { at } = this.#peek();
      if (++count > maxDepth * 2) throw new SyntaxIssue(at, `expression recursion limit exceeded: ${maxDepth}`);
      if (this.#accept('.')) expr = this.#selected(expr, at);
      else if (this.#accept('[')) {
        const isOptional = this.#accept('?');
        const index = this.#expression();
        this.#expect(']');
        expr = { kind: 'call', name: isOptional ? '_[?_]' : '_[_]', args: [expr, index], at };
      } else if (this.#is('{') && typeName(expr) !== undefined) expr = this.#struct(typeName(expr) as string, expr.at);
      else return expr;
    }
  }

  #selected(operand: Expr, at: number): Expr {
    const isOptional = this.#accept('?');
    const { kind, text, at: nameAt } = this.#take();
    if (kind !== 'ident' || text === 'in' || Object.hasOwn(constants, text)) {
      throw new SyntaxIssue(nameAt, `mismatched input '${text}' expecting IDENTIFIER`);
    }
    const isQuoted = text.startsWith('`');
    if (!isQuoted && !isOptional && this.#is('(')) {
      const open = this.#peek().at;
      this.#next++;
      return expandMacro({ kind: 'call', name: text, target: operand, args: this.#list(')'), at: open });
    }
    return { kind: 'select', operand, field: isQuoted ? text.slice(1, -1) : text, at, ...(isOptional && { isOptional }) };
  }

  #primary(): Expr {
    const token = this.#peek();
    const { kind, text, at } = token;
    if (kind === 'literal') {
      this.#next++;
      return { kind: 'literal', value: token.value ?? null, at };
    }
    if (this.#accept('(')) {
      const inner = this.#expression();
      this.#expect(')');
      return inner;
    }
    if (this.#accept('[')) return { kind: 'list', elements: this.#elements(), at };
    if (this.#accept('{')) return { kind: 'map', entries: this.#entries(), at };
    const isRooted = this.#accept('.');
    const name = this.#peek();
    if (name.kind !== 'ident' || name.text === 'in' || name.text.startsWith('`')) throw this.#unexpected();
    this.#next++;
    if (!isRooted && Object.hasOwn(constants, text)) return { kind: 'literal', value: constants[text] ?? null, at };
    if (reserved.has(name.text)) throw new SyntaxIssue(at, `reserved identifier: ${name.text}`);
    const open = this.#peek().at;
    if (this.#accept('(')) return expandMacro({ kind: 'call', name: name.text, args: this.#list(')'), at: open });
    return { kind: 'ident', name: name.text, at };
  }

  /** Expressions up to a closing bracket. */
  #list(close: string): Expr[] {
    const list: Expr[] = [];
    if (this.#accept(close)) return list;
    do list.push(this.#expression());
    while (this.#accept(','));
    this.#expect(close);
    return list;
  }

  #elements(): { value: Expr; isOptional: boolean }[] {
    const elements: { value: Expr; isOptional: boolean }[] = [];
    while (!this.#is(']')) {
      const isOptional = this.#accept('?');
      elements.push({ value: this.#expression(), isOptional });
      if (!this.#accept(',')) break;
    }
    this.#expect(']');
    return elements;
  }

  #entries(): { key: Expr; value: Expr; isOptional: boolean }[] {
    const entries: { key: Expr; value: Expr; isOptional: boolean }[] = [];
    while (!this.#is('}')) {
      const isOptional = this.#accept('?');
      const key = this.#expression();
      this.#expect(':');
      entries.push({ key, value: this.#expression(), isOptional });
      if (!this.#accept(',')) break;
    }
    this.#expect('}');
    return entries;
  }

  #struct(type: string, at: number): Expr {
    this.#expect('{');
    const fields: { name: string; value: Expr; isOptional: boolean }[] = [];
    while (!this.#is('}')) {
      const isOptional = this.#accept('?');
      const { kind, text, at: nameAt } = this.#take();
      if (kind !== 'ident') throw new SyntaxIssue(nameAt, `mismatched input '${text}' expecting IDENTIFIER`);
      this.#expect(':');
      fields.push({ name: text.replaceAll('`', ''), value: this.#expression(), isOptional });
      if (!this.#accept(',')) break;
    }
    this.#expect('}');
    return { kind: 'struct', type, fields, at };
  }
}

const constants: Readonly<Record<string, null | boolean>> = { true: true, false: false, null: null };

/** The qualified name of identifiers with dots between, which may name a type or a variable. */
export function typeName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.isTest || expr.isOptional) return undefined;
  const prefix = typeName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
