import { isObject } from '../objects.js';

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

/** Filters elements by the value at a path: equal, unequal or present. */
function filtered(path: Step, operator: string | undefined, literal: string | undefined): Step {
  return (values) =>
    elements(values).filter((value) => {
      const [found] = path([value]);
      if (operator === undefined) return found !== undefined;
      return found !== undefined && (String(found) === literal) === (operator === '==');
    });
}

/** One step at the start of the text: `.name`, `['name']`, `[0]`, `[*]`, `[?(@.type=="Ready")]`. */
const steps: readonly [pattern: RegExp, step: (...groups: (string | undefined)[]) => Step][] = [
  [/^\.((?:\\.|[^.[\\])+)/, (name = '') => field(name.replaceAll(/\\(.)/g, '$1'))],
  [/^\[(?:'([^']*)'|"([^"]*)")\]/, (single, double) => field(single ?? double ?? '')],
  [/^\[(-?\d+)\]/, (index) => element(Number(index))],
  [/^\[\*\]/, () => elements],
  [
    /^\[\?\(\s*@((?:\.(?:\\.|[^.[\\=!\s)])+)+)\s*(?:(==|!=)\s*(?:'([^']*)'|"([^"]*)"|([^\s'")]+))\s*)?\)\]/,
    (path = '', operator, single, double, bare) => filtered(jsonPath(path), operator, single ?? double ?? bare),
  ],
];

/**
 * The part of JSONPath that `additionalPrinterColumns` use: fields, indexes, `[*]` and filters that compare with a value. Returns all
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
