import { dnsLabelProblems, dnsSubdomainProblems, labelValueProblems, qualifiedNameProblems } from '@nodeagent/api/helpers';
import { dns1035LabelProblems } from '../../dns-1035-label.js';
import { type CelOverload, overload } from '../functions.js';
import { CelList, CelOpaque, CelOptional } from '../values.js';

/** The lengths of the patterns in a cluster; of those that are absent 72. */
const patternSizes: Readonly<Record<string, number>> = {
  dns1123Label: 30,
  dns1123LabelPrefix: 30,
  dns1035Label: 30,
  dns1035LabelPrefix: 30,
  dns1123Subdomain: 60,
  dns1123SubdomainPrefix: 60,
  qualifiedName: 60,
  labelValue: 40,
  byte: 84,
  uri: 1104,
};

/** A named format, which validates texts. */
class Format extends CelOpaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly problems: (text: string) => string[];
  readonly #patternSize: number;
  constructor(name: string, problems: (text: string) => string[]) {
    super();
    this.name = name;
    this.problems = problems;
    this.#patternSize = patternSizes[name] ?? 72;
  }
  override get patternSize(): number {
    return this.#patternSize;
  }
  equals(other: Format): boolean {
    return this.name === other.name;
  }
}

const prefixed = (problems: (text: string) => string[]) => (text: string) => problems(text.endsWith('-') ? `${text.slice(0, -1)}a` : text);

const matching = (pattern: RegExp, problem: string) => (text: string) => (pattern.test(text) ? [] : [problem]);

function uriProblems(text: string): string[] {
  try {
    new URL(text, text.startsWith('/') ? 'http://none' : undefined);
    return [];
  } catch {
    return ['invalid URI'];
  }
}

const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
const isDateTime = (text: string) =>
  /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));

const formats: Readonly<Record<string, Format>> = Object.fromEntries(
  (
    [
      ['dns1123Label', dnsLabelProblems],
      ['dns1123Subdomain', dnsSubdomainProblems],
      ['dns1035Label', dns1035LabelProblems],
      ['qualifiedName', qualifiedNameProblems],
      ['dns1123LabelPrefix', prefixed(dnsLabelProblems)],
      ['dns1123SubdomainPrefix', prefixed(dnsSubdomainProblems)],
      ['dns1035LabelPrefix', prefixed(dns1035LabelProblems)],
      ['labelValue', labelValueProblems],
      ['uri', uriProblems],
      ['uuid', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i, 'does not match the UUID format')],
      ['byte', matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, 'invalid base64')],
      ['date', (text: string) => (isDate(text) ? [] : ['invalid date'])],
      ['datetime', (text: string) => (isDateTime(text) ? [] : ['invalid datetime'])],
    ] as [string, (text: string) => string[]][]
  ).map(([name, problems]) => [name, new Format(name, problems)]),
);

/** Kubernetes documentation, "CEL: Kubernetes format library". */
export const formatFunctions: readonly CelOverload[] = [
  ...Object.entries(formats).map(([name, format]) => overload(`format.${name}() kubernetes.NamedFormat`, () => format)),
  overload(
    'format.named(string) optional<kubernetes.NamedFormat>',
    (name: string) => new CelOptional(Object.hasOwn(formats, name) ? formats[name] : undefined),
  ),
  overload('kubernetes.NamedFormat.validate(string) optional<list<string>>', (format: Format, text: string) => {
    const problems = format.problems(text);
    return new CelOptional(problems.length === 0 ? undefined : new CelList(problems));
  }),
];
