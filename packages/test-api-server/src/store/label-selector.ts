import type { LabelSelector } from '@nodeagent/api';
import { labelValueProblems, matchesLabelSelector, qualifiedNameProblems } from '@nodeagent/api/helpers';
import { withExamples } from '../name-examples.js';
import { badRequest } from '../status.js';

type Labels = Readonly<Record<string, string>>;

/** A term of a selector with a number: `a>1`. */
interface Comparison {
  key: string;
  isGreater: boolean;
  value: number;
}

/** A parsed label selector. */
interface ParsedSelector {
  selector: LabelSelector;
  comparisons: Comparison[];
}

/** The labels that a selector of a query takes: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. Throws 400 for an invalid selector. */
export function labelMatcher(text: string): (labels: Labels | undefined) => boolean {
  const { selector, comparisons } = new SelectorParser(text).whole();
  return (labels = {}) => matchesLabelSelector(selector, labels) && comparisons.every((each) => compares(each, labels));
}

/** A label selector of a query without comparisons. Throws 400. */
export function parseLabelSelector(text: string): LabelSelector {
  return new SelectorParser(text).whole().selector;
}

function compares({ key, isGreater, value }: Comparison, labels: Labels): boolean {
  const label = labels[key] ?? '';
  if (!/^[+-]?\d+$/.test(label)) return false;
  return isGreater ? Number(label) > value : Number(label) < value;
}

const special = '=!(),><';
const symbols = [')', ',', '!', '==', '=', '>', '<', '!=', '('];
const operators = ['in', 'notin', '=', '==', '!=', '>', '<'];

/** The symbols and words of a selector; an empty text ends them. */
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; ) {
    const character = text[at] as string;
    if (/\s/.test(character)) {
      at++;
      continue;
    }
    const isSymbol = special.includes(character);
    const two = text.slice(at, at + 2);
    const word = /^[^\s=!(),><]+/.exec(text.slice(at, at + 1_000))?.[0] ?? character;
    const token = isSymbol ? (symbols.includes(two) ? two : character) : word;
    tokens.push(token);
    at += token.length;
  }
  return tokens;
}

/** Reads a selector, and refuses it in the words of a cluster. */
class SelectorParser {
  readonly #tokens: readonly string[];
  #next = 0;
  readonly #expressions: { key: string; operator: string; values?: string[] }[] = [];
  readonly #labels: Record<string, string> = {};
  readonly #comparisons: Comparison[] = [];

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  whole(): ParsedSelector {
    while (this.#peek() !== '') {
      if (!this.#isKey()) throw badRequest(`found '${this.#peek()}', expected: !, identifier, or 'end of string'`);
      this.#requirement();
      const separator = this.#take();
      if (separator === '') break;
      if (separator !== ',') throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
      if (!this.#isKey()) throw badRequest(`found '${this.#peek()}', expected: identifier after ','`);
    }
    return { selector: { matchLabels: this.#labels, matchExpressions: this.#expressions }, comparisons: this.#comparisons };
  }

  #peek(): string {
    return this.#tokens[this.#next] ?? '';
  }

  #take(): string {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  #isKey(): boolean {
    const token = this.#peek();
    return token === '!' || isWord(token);
  }

  #requirement(): void {
    const isNegated = this.#peek() === '!';
    if (isNegated) this.#next++;
    const key = this.#take();
    if (!isWord(key)) throw wrong(`found '${key}', expected: identifier`);
    const problems = qualifiedNameProblems(key);
    if (problems.length > 0) throw wrong(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problems.map(withExamples).join('; ')}`);
    if (isNegated) this.#expressions.push({ key, operator: 'DoesNotExist' });
    else if (this.#peek() === '' || this.#peek() === ',') this.#expressions.push({ key, operator: 'Exists' });
    else this.#comparison(key);
  }

  #comparison(key: string): void {
    const operator = this.#take();
    if (!operators.includes(operator)) throw wrong(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    const isSet = operator === 'in' || operator === 'notin';
    const values = isSet ? this.#values() : [this.#value()];
    const number = operator === '>' || operator === '<';
    if (number && !/^[+-]?\d+$/.test(values[0] as string)) {
      throw wrong(`values[0]: Invalid value: ${JSON.stringify(values[0])}: for 'Gt', 'Lt' operators, the value must be an integer`);
    }
    for (const [index, value] of values.entries()) {
      const problems = labelValueProblems(value);
      const where = `values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}`;
      if (problems.length > 0) throw wrong(`${where}: ${problems.map(withExamples).join('; ')}`);
    }
    if (number) this.#comparisons.push({ key, isGreater: operator === '>', value: Number(values[0]) });
    else if (isSet) this.#expressions.push({ key, operator: operator === 'in' ? 'In' : 'NotIn', values });
    else if (operator === '!=') this.#expressions.push({ key, operator: 'NotIn', values });
    else if (Object.hasOwn(this.#labels, key)) this.#expressions.push({ key, operator: 'In', values });
    // Not an assignment, because `__proto__` could be a key.
    else Object.defineProperty(this.#labels, key, { value: values[0], enumerable: true, configurable: true, writable: true });
  }

  #value(): string {
    if (this.#peek() === '' || this.#peek() === ',') return '';
    const value = this.#take();
    if (!isWord(value)) throw wrong(`found '${value}', expected: identifier`);
    return value;
  }

  /** The values of `in (...)`; between commas without a word is the empty value. */
  #values(): string[] {
    const open = this.#take();
    if (open !== '(') throw wrong(`found '${open}' expected: '('`);
    if (this.#peek() === ')') {
      this.#next++;
      return [''];
    }
    if (!isWord(this.#peek()) && this.#peek() !== ',') throw wrong(`found '${this.#peek()}', expected: ',', ')' or identifier`);
    const values = new Set<string>();
    for (;;) {
      values.add(isWord(this.#peek()) ? this.#take() : '');
      const separator = this.#take();
      if (separator === ')') return [...values].sort();
      if (separator !== ',') throw wrong(`found '${separator}', expected: ',' or ')'`);
      if (!isWord(this.#peek()) && this.#peek() !== ',' && this.#peek() !== ')') {
        throw wrong(`found '${this.#peek()}', expected: ',' or ')'`);
      }
    }
  }
}

const isWord = (token: string) => token !== '' && !special.includes(token[0] as string);

const wrong = (problem: string) => badRequest(`unable to parse requirement: ${problem}`);
