import { isObject } from '../helpers/is-object.js';
import { nearestName } from '../helpers/nearest-name.js';
import { invalidOptionText } from './options.js';

/** The names of all members of `T`; of a union, those of each of its types. */
type NameOf<T> = T extends unknown ? Extract<keyof T, string> : never;

/** The object types of a member, or of its items if it is a list. */
type GroupOf<T, Name> = T extends unknown ? (Name extends keyof T ? ItemOf<Extract<T[Name], object>> : never) : never;
type ItemOf<T> = T extends readonly (infer Item)[] ? Item : T;

/**
 * All option names of `T`, for {@link checkOptionNames}: `true`, or the names of a group of options or of a list of groups. The type makes
 * the names complete: an option that `T` has and the names lack does not compile, nor does one that only the names have.
 */
export type OptionNames<T> = { readonly [Name in NameOf<T>]-?: true | OptionNames<GroupOf<T, Name>> };

const commonPorts = new Set(['clock', 'logger', 'metrics', 'random', 'recorder']);

/**
 * Throws `InvalidOption` for an option that `names` lacks, naming the factory, the option and the nearest known name:
 * `createPodWorkers: unknown option "syncFrequencyMS"; did you mean "syncFrequencyMs"?`. `details.field` is the option's path. Options
 * whose names are `true`, such as ports, Kubernetes objects and maps, are not inspected. Every factory accepts `clock`, `logger`,
 * `metrics`, `random` and `recorder`, also if it does not use them, because callers share one object of these ports.
 */
export function checkOptionNames<T extends object>(factory: string, options: T, names: OptionNames<T>): void {
  if (!isObject(options)) throw invalidOptionText('options', `${factory}: options must be an object, got ${options}`);
  checkGroup(factory, '', options, names);
}

interface Names {
  readonly [name: string]: true | Names;
}

function checkGroup(factory: string, path: string, group: object, names: Names): void {
  for (const [name, value] of Object.entries(group)) {
    const known = Object.hasOwn(names, name) ? names[name] : undefined;
    if (known === undefined && path === '' && commonPorts.has(name)) continue;
    if (known === undefined) throw unknownOption(factory, path, name, Object.keys(names));
    if (known === true) continue;
    if (isObject(value)) checkGroup(factory, `${path}${name}.`, value, known);
    if (!Array.isArray(value)) continue;
    for (const [index, item] of value.entries()) {
      if (isObject(item)) checkGroup(factory, `${path}${name}[${index}].`, item, known);
    }
  }
}

function unknownOption(factory: string, path: string, name: string, known: string[]) {
  const near = nearestName(name, known);
  const field = path + name;
  return invalidOptionText(
    field,
    `${factory}: unknown option "${field}"${near === undefined ? '' : `; did you mean "${path}${near}"?`}`,
    near === undefined ? { hint: `The options${path && ` in "${path.slice(0, -1)}"`} are ${known.join(', ')}.` } : {},
  );
}
