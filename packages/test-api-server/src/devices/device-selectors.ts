import { type Device, type DeviceAttribute, errorMessage } from '@nodeagent/api';
import type { DeviceMatcher } from '@nodeagent/test-controllers';
import { adapt } from '../cel/adapt.js';
import { type CelProgram, compile } from '../cel/cel.js';
import { CelEvalError } from '../cel/cel-error.js';
import { quantity, semver } from '../cel/library/amounts.js';
import { type CelType, celTypes, mapOf } from '../cel/types.js';
import { CelMap, type CelValue, EntryMap } from '../cel/values.js';

const text = (maxSize: number): CelType => ({ kind: 'string', maxSize });
/** Values by domain and name; sizes are those of the API, for the estimation of costs. */
const byDomain = (value: CelType): CelType => {
  const byName: CelType = { ...mapOf(text(32), value), maxSize: 32 };
  return { ...mapOf(text(63), byName), maxSize: 32 };
};

/** The variable of selectors: Kubernetes API reference, "CELDeviceSelector". */
const deviceType: CelType = {
  kind: 'object',
  name: 'kubernetes.DRADevice',
  fields: new Map(
    Object.entries({
      driver: text(63),
      allowMultipleAllocations: celTypes.bool,
      attributes: byDomain({ kind: 'dyn', maxSize: 64 }),
      capacity: byDomain({ kind: 'opaque', name: 'kubernetes.Quantity' }),
    }).map(([jsonName, type]) => [jsonName, { jsonName, type }]),
  ),
};

const noValues = new EntryMap([]);

/** Values by domain; domains without values are empty maps, so that expressions need no check. */
class DomainMap<T> extends CelMap {
  readonly #domains: CelMap;

  constructor(values: Readonly<Record<string, T>> = {}, driver: string, read: (value: T, name: string) => CelValue) {
    super();
    const domains = new Map<string, [CelValue, CelValue][]>();
    for (const [name, value] of Object.entries(values)) {
      const slash = name.indexOf('/');
      const domain = slash < 0 ? driver : name.slice(0, slash);
      domains.set(domain, [...(domains.get(domain) ?? []), [name.slice(slash + 1), read(value, name)]]);
    }
    this.#domains = new EntryMap(Array.from(domains, ([domain, entries]) => [domain, new EntryMap(entries)] as const));
  }

  get size(): number {
    return this.#domains.size;
  }

  get(key: CelValue): CelValue {
    return this.#domains.get(key) ?? noValues;
  }

  keys(): CelValue[] {
    return this.#domains.keys();
  }
}

function attributeValue({ int, bool, string, version }: DeviceAttribute, name: string): CelValue {
  const value = int ?? bool ?? string;
  if (value === undefined && version === undefined) throw new CelEvalError(`attribute ${name}: unsupported attribute value`);
  return version === undefined ? adapt(value, celTypes.dyn) : semver(version);
}

function deviceValue({ attributes, capacity, allowMultipleAllocations = false }: Device, driver: string) {
  return {
    driver,
    allowMultipleAllocations,
    attributes: new DomainMap(attributes, driver, attributeValue),
    capacity: new DomainMap(capacity, driver, ({ value }) => quantity(value)),
  };
}

/** Programs are kept for the selectors of a cluster, not for endless new ones. */
const maxPrograms = 1_000;

/** Creates a matcher of devices. It remembers its answers, since stored devices do not change. */
export function createDeviceMatcher(): DeviceMatcher {
  const programs = new Map<string, CelProgram>();
  const answers = new WeakMap<Device, Map<string, boolean>>();
  const programOf = (expression: string): CelProgram => {
    const known = programs.get(expression);
    if (known) return known;
    if (programs.size >= maxPrograms) programs.clear();
    const made = withPrefix('CEL compile error: compilation failed', () => compile(expression, { variables: { device: deviceType } }));
    programs.set(expression, made);
    return made;
  };
  return (expression, device, driver) => {
    const known = answers.get(device) ?? new Map<string, boolean>();
    answers.set(device, known);
    const answer = known.get(expression) ?? evaluate(programOf(expression), device, driver);
    known.set(expression, answer);
    return answer;
  };
}

function evaluate(program: CelProgram, device: Device, driver: string): boolean {
  return withPrefix('CEL runtime error', () => {
    const { value } = program.evaluate({ device: deviceValue(device, driver) });
    if (typeof value !== 'boolean') throw new Error('CEL result could not be converted to bool');
    return value;
  });
}

function withPrefix<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Error(`${prefix}: ${errorMessage(error)}`, { cause: error });
  }
}
