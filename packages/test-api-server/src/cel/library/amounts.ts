import { Quantity } from '@nodeagent/api/helpers';
import { CelEvalError } from '../cel-error.js';
import { type CelOverload, overload } from '../functions.js';
import { CelOpaque } from '../values.js';

class CelQuantity extends CelOpaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly amount: Quantity;
  constructor(amount: Quantity) {
    super();
    this.amount = amount;
  }
  equals(other: CelQuantity): boolean {
    return this.amount.equals(other.amount);
  }
}

function parsedQuantity(text: string): CelQuantity | undefined {
  try {
    return new CelQuantity(Quantity.parse(text));
  } catch {
    return undefined;
  }
}

/** The value of a quantity. Throws a `CelEvalError`. */
export function quantity(text: string): CelQuantity {
  const found = parsedQuantity(text);
  if (found === undefined) {
    throw new CelEvalError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  return found;
}

const integerOf = ({ amount }: CelQuantity): bigint => {
  const value = amount.asInt64();
  if (value === undefined) throw new CelEvalError('cannot convert value to integer');
  return value;
};

const other = (by: CelQuantity | bigint) => (typeof by === 'bigint' ? Quantity.of(by) : by.amount);

interface Version {
  numbers: [bigint, bigint, bigint];
  prerelease: string;
}

class CelSemver extends CelOpaque {
  readonly typeName = 'kubernetes.Semver';
  readonly version: Version;
  constructor(version: Version) {
    super();
    this.version = version;
  }
  equals(other: CelSemver): boolean {
    return compareVersions(this.version, other.version) === 0;
  }
}

const semverText =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\+[0-9A-Za-z.-]+)?$/;

/** `v1.0` with normalization is `1.0.0`: no prefix, all three numbers, no leading zeros. */
function normalized(text: string): string {
  const [, numbers = '', rest = ''] = /^v?([\d.]*)(.*)$/.exec(text) ?? [];
  const parts = numbers.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  while (parts.length < 3 && rest === '') parts.push('0');
  return `${parts.join('.')}${rest}`;
}

function parsedSemver(text: string, normalize = false): CelSemver | undefined {
  const found = semverText.exec(normalize ? normalized(text) : text);
  if (!found || text.length > 1000) return undefined;
  const [major, minor, patch] = found.slice(1, 4).map(BigInt) as [bigint, bigint, bigint];
  return new CelSemver({ numbers: [major, minor, patch], prerelease: found[4] ?? '' });
}

/** The value of a semantic version. Throws a `CelEvalError`. */
export function semver(text: string, normalize = false): CelSemver {
  const found = parsedSemver(text, normalize);
  if (found === undefined) throw new CelEvalError(semverProblem(normalize ? normalized(text) : text));
  return found;
}

/** Why a text is no version, in the words of a cluster. */
function semverProblem(text: string): string {
  if (text === '') return 'Version string empty';
  const [, numbers = '', prerelease = '', build = ''] = /^([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(text) ?? [];
  const [major = '', minor, ...rest] = numbers.split('.');
  if (minor === undefined || rest.length === 0) return 'No Major.Minor.Patch elements found';
  for (const [name, part] of [
    ['major', major],
    ['minor', minor],
    ['patch', rest.join('.')],
  ] as const) {
    if (!/^\d+$/.test(part)) return `Invalid character(s) found in ${name} number ${JSON.stringify(part)}`;
    const capital = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    if (/^0\d/.test(part)) return `${capital} number must not contain leading zeroes ${JSON.stringify(part)}`;
  }
  for (const part of prerelease.split('.')) {
    if (/^0\d+$/.test(part)) return `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`;
    if (/[^0-9A-Za-z-]/.test(part)) return `Invalid character(s) found in prerelease ${JSON.stringify(part)}`;
  }
  const odd = build.split('.').find((part) => /[^0-9A-Za-z-]/.test(part));
  return odd === undefined ? 'Prerelease is empty' : `Invalid character(s) found in build meta data ${JSON.stringify(odd)}`;
}

/** Precedence of Semantic Versioning 2.0.0, section 11. */
function compareVersions(a: Version, b: Version): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] as bigint;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.prerelease === b.prerelease) return 0;
  if (a.prerelease === '' || b.prerelease === '') return a.prerelease === '' ? 1 : -1;
  const [left, right] = [a.prerelease.split('.'), b.prerelease.split('.')];
  for (const [index, part] of left.entries()) {
    const against = right[index];
    if (against === undefined) return 1;
    if (part === against) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(part), /^\d+$/.test(against)];
    if (isNumber && isOtherNumber) return BigInt(part) < BigInt(against) ? -1 : 1;
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return part < against ? -1 : 1;
  }
  return left.length < right.length ? -1 : 0;
}

const orders = <T>(type: string, compare: (a: T, b: T) => number): CelOverload[] => [
  overload(`${type}.isLessThan(${type}) bool`, (a: T, b: T) => compare(a, b) < 0),
  overload(`${type}.isGreaterThan(${type}) bool`, (a: T, b: T) => compare(a, b) > 0),
  overload(`${type}.compareTo(${type}) int`, (a: T, b: T) => BigInt(compare(a, b))),
];

/** Kubernetes' functions of quantities and versions. Kubernetes documentation, "CEL: Kubernetes quantity library", "Semver library". */
export const amountFunctions: readonly CelOverload[] = [
  overload('quantity(string) kubernetes.Quantity', quantity),
  overload('isQuantity(string) bool', (text: string) => parsedQuantity(text) !== undefined),
  overload('kubernetes.Quantity.isInteger() bool', ({ amount }: CelQuantity) => amount.asInt64() !== undefined),
  overload('kubernetes.Quantity.asInteger() int', integerOf),
  overload('kubernetes.Quantity.asApproximateFloat() double', ({ amount }: CelQuantity) => approximate(amount)),
  overload('sign(kubernetes.Quantity) int', ({ amount }: CelQuantity) => BigInt(amount.sign)),
  ...['kubernetes.Quantity', 'int'].flatMap((type) => [
    overload(
      `kubernetes.Quantity.add(${type}) kubernetes.Quantity`,
      (a: CelQuantity, b: CelQuantity | bigint) => new CelQuantity(a.amount.add(other(b))),
    ),
    overload(
      `kubernetes.Quantity.sub(${type}) kubernetes.Quantity`,
      (a: CelQuantity, b: CelQuantity | bigint) => new CelQuantity(a.amount.sub(other(b))),
    ),
  ]),
  ...orders('kubernetes.Quantity', (a: CelQuantity, b: CelQuantity) => a.amount.cmp(b.amount)),
  overload('semver(string) kubernetes.Semver', semver),
  overload('semver(string, bool) kubernetes.Semver', semver),
  overload('isSemver(string) bool', (text: string) => parsedSemver(text) !== undefined),
  overload('isSemver(string, bool) bool', (text: string, normalize: boolean) => parsedSemver(text, normalize) !== undefined),
  overload('kubernetes.Semver.major() int', ({ version }: CelSemver) => version.numbers[0]),
  overload('kubernetes.Semver.minor() int', ({ version }: CelSemver) => version.numbers[1]),
  overload('kubernetes.Semver.patch() int', ({ version }: CelSemver) => version.numbers[2]),
  ...orders('kubernetes.Semver', (a: CelSemver, b: CelSemver) => compareVersions(a.version, b.version)),
];

/** The amount as a double: whole units, plus thousandths where they are exact. */
function approximate(amount: Quantity): number {
  const [, digits = '0', suffix = ''] = /^([+-]?[\d.]+)(.*)$/.exec(amount.toString()) ?? [];
  const scales: Record<string, number> = {
    n: 1e-9,
    u: 1e-6,
    m: 1e-3,
    '': 1,
    k: 1e3,
    M: 1e6,
    G: 1e9,
    T: 1e12,
    P: 1e15,
    E: 1e18,
    Ki: 2 ** 10,
    Mi: 2 ** 20,
    Gi: 2 ** 30,
    Ti: 2 ** 40,
    Pi: 2 ** 50,
    Ei: 2 ** 60,
  };
  return Number(digits) * (scales[suffix] ?? Number(`1${suffix}`));
}
