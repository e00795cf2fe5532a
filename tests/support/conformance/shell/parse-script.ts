import type { Command, Pipeline, Redirection, Script, Word, WordPart } from './script.js';

/** Reads a script: lists, pipelines, `if`, `while`, quotes, variables, `$(command)`, `$((expression))` and output to files. Throws for the rest. */
export function parseScript(text: string): Script {
  const parser = new ScriptParser(text);
  const script = parser.list([]);
  parser.end();
  return script;
}

class ScriptParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Commands until one of the reserved words, which stays. */
  list(ends: readonly string[]): Script {
    const pipelines: Pipeline[] = [];
    let when: Pipeline['when'] = 'always';
    for (;;) {
      this.#take(/(?:[\s;]|#[^\n]*)*/y);
      if (this.#at === this.#text.length || this.#ahead(/[)}]/y) || ends.includes(this.#reserved())) return pipelines;
      const negated = this.#take(/!\s+/y) !== '';
      const commands = [this.#command()];
      while (this.#take(/[ \t]*\|(?!\|)\s*/y)) commands.push(this.#command());
      pipelines.push({ when, negated, commands });
      const operator = this.#take(/[ \t]*(?:&&|\|\|)\s*/y).trim();
      when = operator === '&&' ? 'success' : operator === '||' ? 'failure' : 'always';
    }
  }

  end(): void {
    if (this.#at < this.#text.length) throw this.#error();
  }

  #command(): Command {
    if (this.#reserved() === 'if') return this.#if();
    if (this.#reserved() === 'while') {
      this.#word();
      const condition = this.#block(['do']);
      return { kind: 'while', condition, body: this.#block(['done']) };
    }
    return this.#simple();
  }

  #if(): Command {
    const cases: { condition: Script; body: Script }[] = [];
    for (let next = 'if'; next !== 'else' && next !== 'fi'; next = this.#reserved()) {
      this.#word();
      cases.push({ condition: this.#block(['then']), body: this.list(['elif', 'else', 'fi']) });
    }
    const hasElse = this.#reserved() === 'else';
    if (hasElse) this.#word();
    return { kind: 'if', cases, otherwise: this.#block(['fi']) };
  }

  /** A list with the reserved word that ends it. */
  #block(ends: readonly string[]): Script {
    const list = this.list(ends);
    if (!ends.includes(this.#reserved())) throw this.#error();
    this.#word();
    return list;
  }

  #simple(): Command {
    const words: Word[] = [];
    const redirections: Redirection[] = [];
    for (;;) {
      this.#take(/(?:[ \t]|\\\n)*/y);
      const redirection = this.#take(/[12]?>>?\s*/y).trim();
      if (redirection) {
        const stream = redirection.startsWith('2') ? 'stderr' : 'stdout';
        redirections.push({ stream, append: redirection.endsWith('>>'), file: this.#word() });
      } else if (this.#at === this.#text.length || this.#ahead(/[\n;|&)]/y)) break;
      else words.push(this.#word());
    }
    if (words.length === 0) throw this.#error();
    return { kind: 'simple', words, redirections };
  }

  #word(): Word {
    const parts: WordPart[] = [];
    for (;;) {
      const text = this.#take(/[^\s;|&()<>"'$\\]+/y) || this.#take(/\\[^\n]/y).slice(1);
      if (text) parts.push({ kind: 'text', text });
      else if (this.#take(/'/y)) parts.push({ kind: 'text', text: this.#until(/[^']*/y, "'") });
      else if (this.#take(/"/y)) parts.push(...this.#quoted());
      else if (this.#ahead(/\$/y)) parts.push(this.#expansion(false));
      else break;
    }
    if (parts.length === 0) throw this.#error();
    return parts;
  }

  #quoted(): WordPart[] {
    const parts: WordPart[] = [{ kind: 'text', text: '' }];
    while (!this.#take(/"/y)) {
      const text = this.#take(/[^"$\\]+/y) || this.#take(/\\["$\\]/y).slice(1) || this.#take(/\\/y);
      parts.push(text ? { kind: 'text', text } : this.#expansion(true));
    }
    return parts;
  }

  #expansion(quoted: boolean): WordPart {
    if (this.#take(/\$\(\(/y)) return { kind: 'number', expression: this.#until(/[^)]*/y, '))') };
    if (this.#take(/\$\(/y)) {
      const script = this.list([]);
      if (!this.#take(/\)/y)) throw this.#error();
      return { kind: 'output', script, quoted };
    }
    const name = this.#take(/\$(?:\w+|\{\w+\})/y).replace(/[${}]/g, '');
    if (name) return { kind: 'variable', name, quoted };
    if (this.#take(/\$/y)) return { kind: 'text', text: '$' };
    throw this.#error();
  }

  #until(content: RegExp, end: string): string {
    const text = this.#take(content);
    if (!this.#text.startsWith(end, this.#at)) throw this.#error();
    this.#at += end.length;
    return text;
  }

  /** The word ahead if it is a plain one. */
  #reserved(): string {
    const at = this.#at;
    const word = this.#take(/[a-z]+(?![^\s;)])/y);
    this.#at = at;
    return word;
  }

  #ahead(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #error(): Error {
    return new Error(`sh: syntax error at ${JSON.stringify(this.#text.slice(this.#at, this.#at + 20))}`);
  }
}
