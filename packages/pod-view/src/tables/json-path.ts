import { isObject } from '@nodeagent/api/helpers';

/** A step from the values found so far to the next values. */
type Step = (values: readonly unknown[]) => unknown[];

const field =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));

const elements: Step = (values) => values.flatMap((value) => (Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []));

const element =
  (index: number): Step =>
  (values) =>
    values.flatMap((value) => (Array.isArray(value) && value.at(index) !== undefined ? [value.at(index)] : []));

/** Elements `start` to `end`, of which every `step`-th. */
const slice =
  (start?: string, end?: string, step?: string): Step =>
  (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) return [];
      const part = value.slice(Number(start || 0), end ? Number(end) : undefined);
      return part.filter((_, index) => index % Number(step || 1) === 0);
    });

type Literal = string | number | boolean;

/** What a filter compares with: a quoted text, a number or a boolean. */
function literalOf(text: string): Literal {
  if (/^['"]/.test(text)) return text.slice(1, -1);
  return text === 'true' || text === 'false' ? text === 'true' : Number(text);
}

const comparisons: Readonly<Record<string, (value: Literal, literal: Literal) => boolean>> = {
  '==': (value, literal) => value === literal,
  '!=': (value, literal) => value !== literal,
  '<': (value, literal) => value < literal,
  '<=': (value, literal) => value <= literal,
  '>': (value, literal) => value > literal,
  '>=': (value, literal) => value >= literal,
};

/** Filters elements by the value at a path: it is present, or compares with a literal of its type. */
function filtered(path: Step, operator: string | undefined, literal: string | undefined): Step {
  return (values) =>
    elements(values).filter((value) => {
      const [found] = path([value]);
      if (operator === undefined || literal === undefined) return found !== undefined;
      const other = literalOf(literal);
      return typeof found === typeof other && comparisons[operator]?.(found as Literal, other) === true;
    });
}

/** One step at the start of the text: `.name`, `['name']`, `[0]`, `[0:2]`, `[*]`, `.*`, `[?(@.type=="Ready")]`. */
const steps: readonly [pattern: RegExp, step: (...groups: (string | undefined)[]) => Step][] = [
  [/^\.?\[\*\]|^\.\*/, () => elements],
  [/^\.((?:\\.|[^.[\\])+)/, (name = '') => field(name.replaceAll(/\\(.)/g, '$1'))],
  [/^\[(?:'([^']*)'|"([^"]*)")\]/, (single, double) => field(single ?? double ?? '')],
  [/^\[(-?\d+)\]/, (index) => element(Number(index))],
  [/^\[(-?\d*):(-?\d*)(?::(\d+))?\]/, slice],
  [
    /^\[\?\(\s*@((?:\.(?:\\.|[^.[\\=!<>\s)])+)*)\s*(?:([=!<>]=|[<>])\s*('[^']*'|"[^"]*"|[^\s'")]+)\s*)?\)\]/,
    (path = '', operator, literal) => filtered(jsonPath(path), operator, literal),
  ],
];

/**
 * The part of JSONPath that `additionalPrinterColumns` use: fields, indexes, slices, wildcards and filters that compare with a value. Returns all
 * values found, and none for an unsupported path. Kubernetes documentation, "JSONPath Support".
 */
export function jsonPath(path: string): Step {
  const parsed: Step[] = [];
  let rest = path;
  while (rest !== '') {
    const match = steps.flatMap(([pattern, step]) => {
      const groups = pattern.exec(rest);
      return groups ? [{ length: groups[0].length, step: step(...groups.slice(1)) }] : [];
    })[0];
    if (!match) return () => [];
    parsed.push(match.step);
    rest = rest.slice(match.length);
  }
  return (values) => parsed.reduce((found: readonly unknown[], step) => step(found), values) as unknown[];
}
