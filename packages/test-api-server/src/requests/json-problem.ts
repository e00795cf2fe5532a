/** Maximum depth of JSON that Go's decoder reads. */
const maxDepth = 10_000;

/** What may follow in a text: a value, a name, or what comes after one of them. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'after name' | 'after value';

const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };
const quoted = (character: string) => (character === "'" ? "'\\''" : character === '"' ? "'\"'" : `'${character}'`);

/** Why a text is no JSON, in the words of Go's decoder; undefined if it is. */
export function jsonProblem(text: string): string | undefined {
  return new JsonScanner(text).problem();
}

/** Reads without recursion, because texts may be nested deeply. */
class JsonScanner {
  readonly #text: string;
  #at = 0;
  /** The brackets around the place. */
  readonly #open: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  problem(): string | undefined {
    let expected: Expected = 'value';
    for (;;) {
      this.#at += /^[\t\n\r ]*/.exec(this.#text.slice(this.#at, this.#at + 1_000))?.[0].length ?? 0;
      if (/[\t\n\r ]/.test(this.#text[this.#at] ?? '')) continue;
      const character = this.#character();
      const isComplete = expected === 'after value' && this.#open.length === 0;
      if (character === '') return isComplete ? undefined : 'unexpected end of JSON input';
      if (isComplete) return wrong(character, 'after top-level value');
      const next: Expected | { problem: string } = this.#step(expected, character);
      if (typeof next === 'object') return next.problem;
      expected = next;
    }
  }

  #character(): string {
    return /^[\s\S]/u.exec(this.#text.slice(this.#at, this.#at + 2))?.[0] ?? '';
  }

  #step(expected: Expected, character: string): Expected | { problem: string } {
    const inObject = this.#open.at(-1) === '{';
    switch (expected) {
      case 'after name':
        if (character !== ':') return { problem: wrong(character, 'after object key') };
        this.#at++;
        return 'value';
      case 'after value':
        if (character === ',') {
          this.#at++;
          return inObject ? 'name' : 'value';
        }
        if (character === (inObject ? '}' : ']')) return this.#close();
        return { problem: wrong(character, inObject ? 'after object key:value pair' : 'after array element') };
      case 'name':
      case 'name or }':
        if (character === '}' && expected === 'name or }') return this.#close();
        if (character !== '"') return { problem: wrong(character, 'looking for beginning of object key string') };
        return this.#string('after name');
      default:
        if (character === ']' && expected === 'value or ]') return this.#close();
        return this.#value(character);
    }
  }

  #close(): Expected {
    this.#at++;
    this.#open.pop();
    return 'after value';
  }

  #value(character: string): Expected | { problem: string } {
    if (character === '{' || character === '[') {
      if (this.#open.length >= maxDepth) return { problem: `invalid character '${character}' exceeded max depth` };
      this.#at++;
      this.#open.push(character);
      return character === '{' ? 'name or }' : 'value or ]';
    }
    if (character === '"') return this.#string('after value');
    const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(this.#text.slice(this.#at, this.#at + 1_000))?.[0];
    if (number) {
      this.#at += number.length;
      return 'after value';
    }
    const word = literals[character];
    if (word === undefined) return { problem: wrong(character, 'looking for beginning of value') };
    for (const letter of word) {
      const found = this.#character();
      if (found === '') return { problem: 'unexpected end of JSON input' };
      if (found !== letter) return { problem: wrong(found, `in literal ${word} (expecting '${letter}')`) };
      this.#at++;
    }
    return 'after value';
  }

  #string(next: Expected): Expected | { problem: string } {
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] as string;
      if (character === '"') {
        this.#at++;
        return next;
      }
      if (character < ' ')
        return { problem: `invalid character '\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}' in string literal` };
      if (character !== '\\') continue;
      this.#at++;
      const escaped = this.#text[this.#at] ?? '';
      if (escaped === '') break;
      if (!'"\\/bfnrtu'.includes(escaped)) return { problem: wrong(escaped, 'in string escape code') };
    }
    return { problem: 'unexpected end of JSON input' };
  }
}

const wrong = (character: string, where: string) => `invalid character ${quoted(character)} ${where}`;
