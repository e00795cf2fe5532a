import { CelCompileError } from './cel-error.js';
import type { CelIssue, Expr } from './expr.js';
import { expandMacro } from './macros.js';
import { ParseIssue, syntaxIssue, type Token, tokensOf } from './tokens.js';

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

/** Parses an expression. Throws a {@link CelCompileError}. */
export function parse(text: string): Expr {
  const size = [...text].length;
  if (size > maxLength) {
    throw new CelCompileError('', [{ at: -1, message: `expression code point size exceeds limit: size: ${size}, limit ${maxLength}` }]);
  }
  const issues: CelIssue[] = [];
  try {
    const lexed = tokensOf(text);
    issues.push(...lexed.issues);
    const expr = new Parser(lexed.tokens, issues).whole();
    if (issues.length === 0) return expr;
  } catch (error) {
    if (!(error instanceof ParseIssue)) throw error;
    issues.push(error.issue);
  }
  throw new CelCompileError(text, issues);
}

/** The tokens that can begin an expression, and others, in the order in which errors show them. */
const tokenOrder =
  "'[' ']' '{' '}' '(' ')' '.' ',' '-' '!' '?' 'true' 'false' 'null' NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER".split(' ');
const notStarting = [']', '}', ')', ',', '?'];

/** The tokens that can begin an expression, or be instead of it. */
function startOr(...others: string[]): string {
  const shown = tokenOrder.filter((each) => others.includes(each.slice(1, -1)) || !notStarting.includes(each.slice(1, -1)));
  return `{${shown.join(', ')}}`;
}

class Parser {
  readonly #tokens: readonly Token[];
  /** Problems after which the parser continues. */
  readonly #issues: CelIssue[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], issues: CelIssue[]) {
    this.#tokens = tokens;
    this.#issues = issues;
  }

  whole(): Expr {
    const expr = this.#expression();
    if (this.#peek().kind === 'end') return expr;
    if (this.#peek(1).kind !== 'end') throw this.#wrong(`mismatched input '${this.#peek().text}' expecting <EOF>`);
    this.#drop('<EOF>');
    return expr;
  }

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#next++;
    return token;
  }

  #is(text: string, ahead = 0): boolean {
    const token = this.#peek(ahead);
    return token.text === text && token.kind === 'operator';
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#next++;
    return true;
  }

  #wrong(message: string): ParseIssue {
    const { at } = this.#peek();
    return new ParseIssue(at, syntaxIssue(at, message).message);
  }

  /** Reports a token that should not be there, and continues behind it. */
  #drop(expected: string): void {
    const { text, at } = this.#take();
    this.#issues.push(syntaxIssue(at, `extraneous input '${text}' expecting ${expected}`));
  }

  /** Takes a token that must follow; continues if one is missing, or one too many is there. `closes`: what shows that the token is missing. */
  #expect(text: string, expected = `'${text}'`, mayBeMissing = expected === `'${text}'`): void {
    if (this.#accept(text)) return;
    if (this.#is(text, 1)) {
      this.#drop(expected);
      this.#next++;
      return;
    }
    const { text: found, at } = this.#peek();
    if (!mayBeMissing || !this.#canFollow(text)) throw this.#wrong(`mismatched input '${found}' expecting ${expected}`);
    this.#issues.push(syntaxIssue(at, `missing '${text}' at '${found}'`));
  }

  /** Whether the current token can follow a token that is missing. */
  #canFollow(text: string): boolean {
    const token = this.#peek();
    if (text === ':') return this.#canStart();
    return token.kind === 'end' || token.text === 'in' || (token.kind === 'operator' && !'{(!,'.includes(token.text));
  }

  /** Whether a token can begin an expression. */
  #canStart(ahead = 0): boolean {
    const { kind, text } = this.#peek(ahead);
    if (kind === 'operator') return ['[', '{', '(', '.', '-', '!'].includes(text);
    return kind === 'literal' || (kind === 'ident' && text !== 'in' && !text.startsWith('`'));
  }

  /** Requires that an expression begins here; drops one token before it. */
  #requireStart(...others: string[]): void {
    if (this.#canStart()) return;
    const expected = startOr(...others);
    if (!this.#canStart(1) || this.#peek().kind === 'end')
      throw this.#wrong(`mismatched input '${this.#peek().text}' expecting ${expected}`);
    this.#drop(expected);
  }

  /** An expression; `others` are the tokens that could be here instead. */
  #expression(...others: string[]): Expr {
    if (++this.#depth > maxDepth) throw this.#tooDeep();
    this.#requireStart(...others);
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

  #tooDeep(): ParseIssue {
    return new ParseIssue(-1, `expression recursion limit exceeded: ${maxDepth}`);
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
      if (++count > maxDepth * 8) throw this.#tooDeep();
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
      if (next.value > 1n << 63n && typeof next.value === 'bigint') throw new ParseIssue(next.at - 1, 'invalid int literal');
      return this.#members({ kind: 'literal', value: -next.value, at });
    }
    if (next.kind === 'end') this.#endsAfter(text);
    const operand = this.#member();
    return count % 2 === 0 ? operand : { kind: 'call', name: text === '!' ? '!_' : '-_', args: [operand], at };
  }

  /** An expression that ends behind a sign. */
  #endsAfter(sign: string): void {
    if (sign === '!') throw this.#wrong(`extraneous input '<EOF>' expecting ${startOr()}`);
    this.#issues.push(this.#wrong("no viable alternative at input '-'").issue);
  }

  #member(): Expr {
    this.#requireStart();
    const { value, at } = this.#peek();
    if (typeof value === 'bigint' && value >= 1n << 63n) throw new ParseIssue(at, 'invalid int literal');
    return this.#members(this.#primary());
  }

  #members(first: Expr): Expr {
    let expr = first;
    let count = 0;
    for (;;) {
      const { at } = this.#peek();
      if (++count > maxDepth * 2) throw this.#tooDeep();
      if (this.#accept('.')) expr = this.#selected(expr, at);
      else if (this.#accept('[')) {
        const isOptional = this.#accept('?');
        const index = isOptional ? this.#expression() : this.#expression('?');
        this.#expect(']');
        expr = { kind: 'call', name: isOptional ? '_[?_]' : '_[_]', args: [expr, index], at };
      } else if (this.#is('{') && typeName(expr) !== undefined) expr = this.#struct(typeName(expr) as string);
      else return expr;
    }
  }

  #selected(operand: Expr, at: number): Expr {
    const isOptional = this.#accept('?');
    const { kind, text, at: nameAt } = this.#peek();
    if (kind !== 'ident' || text === 'in' || Object.hasOwn(constants, text)) {
      if (!isOptional) throw this.#wrong(`no viable alternative at input '.${kind === 'end' ? '' : text}'`);
      this.#issues.push(this.#wrong(`mismatched input '${text}' expecting {IDENTIFIER, ESC_IDENTIFIER}`).issue);
      throw new ParseIssue(nameAt, 'unsupported ident kind');
    }
    if (text.startsWith('`')) throw new ParseIssue(nameAt, "unsupported syntax: '`'");
    this.#next++;
    if (!isOptional && this.#is('(')) return this.#invoked(text, operand);
    return { kind: 'select', operand, field: text, at, ...(isOptional && { isOptional }) };
  }

  /** A call, from its opening bracket on. */
  #invoked(name: string, target?: Expr): Expr {
    const { at } = this.#take();
    return expandMacro({ kind: 'call', name, args: this.#arguments(), at, ...(target && { target }) });
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
    if (isRooted && (name.kind !== 'ident' || name.text === 'in' || Object.hasOwn(constants, name.text))) {
      throw this.#wrong(`no viable alternative at input '.${name.kind === 'end' ? '' : name.text}'`);
    }
    this.#next++;
    if (Object.hasOwn(constants, text)) return { kind: 'literal', value: constants[text] ?? null, at };
    if (reserved.has(name.text)) throw new ParseIssue(at, `reserved identifier: ${name.text}`);
    if (this.#is('(')) return this.#invoked(name.text);
    return { kind: 'ident', name: name.text, at: name.at, ...(isRooted && { isRooted }) };
  }

  /** Expressions up to a closing bracket. */
  #arguments(): Expr[] {
    const list: Expr[] = [];
    if (this.#accept(')')) return list;
    do list.push(list.length === 0 ? this.#expression(')') : this.#expression());
    while (this.#accept(','));
    this.#expect(')');
    return list;
  }

  /** Entries with commas between, up to a closing bracket; a comma may follow the last one, or be alone. */
  #entriesUntil<Entry>(close: string, canBegin: () => boolean, entry: () => Entry): Entry[] {
    const entries: Entry[] = [];
    if (this.#accept(close)) return entries;
    if (this.#accept(',')) {
      this.#expect(close);
      return entries;
    }
    for (;;) {
      entries.push(entry());
      if (!this.#accept(',')) {
        this.#expect(close, `{'${close}', ','}`);
        return entries;
      }
      if (!canBegin()) {
        this.#expect(close);
        return entries;
      }
    }
  }

  #elements(): { value: Expr; isOptional: boolean }[] {
    const canBegin = () => this.#is('?') || this.#canStart();
    return this.#entriesUntil(']', canBegin, () => {
      const isOptional = this.#accept('?');
      return { value: isOptional ? this.#expression() : this.#expression(']', ',', '?'), isOptional };
    });
  }

  #entries(): { key: Expr; value: Expr; isOptional: boolean }[] {
    const canBegin = () => this.#is('?') || this.#canStart();
    return this.#entriesUntil('}', canBegin, () => {
      const isOptional = this.#accept('?');
      const key = isOptional ? this.#expression() : this.#expression('}', ',', '?');
      this.#expect(':');
      return { key, value: this.#expression(), isOptional };
    });
  }

  #struct(type: string): Expr {
    const { at } = this.#take();
    const canBegin = () => this.#is('?') || this.#peek().kind === 'ident';
    const fields = this.#entriesUntil('}', canBegin, () => {
      const isOptional = this.#accept('?');
      const { kind, text } = this.#peek();
      if (kind !== 'ident') throw this.#wrong(`mismatched input '${text}' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`);
      this.#next++;
      this.#expect(':');
      return { name: text.replaceAll('`', ''), value: this.#expression(), isOptional };
    });
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
