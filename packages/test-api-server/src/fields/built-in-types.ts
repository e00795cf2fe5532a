import { groupVersion } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';
import { ObjectType } from './object-type.js';
import { coreTypes } from './types/core-types.js';
import { groupTypes } from './types/group-types.js';

const metaVersion = 'meta.k8s.io/v1';

/** Lines of types by group, version and name, such as `apps/v1.Deployment`. */
const lines = new Map<string, string>();
const types = new Map<string, ObjectType>();
const names = new WeakMap<ObjectType, { version: string; name: string }>();

/** Adds the types of a table: a line `# GROUP/VERSION`, then the types of that version, one a line. */
function addLines(table: string): void {
  let version = '';
  for (const line of table.trim().split('\n')) {
    if (line.startsWith('# ')) version = line.slice(2);
    else lines.set(`${version}.${/[\w-]+/.exec(line)?.[0]}`, line);
  }
}

function addStableTypes(): void {
  if (lines.size === 0) for (const table of [coreTypes, groupTypes]) addLines(table);
}

/** Adds the types of another table, such as those of versions that few servers serve. */
export function addTypes(table: string): void {
  addStableTypes();
  addLines(table);
}

function typeAt(version: string, name: string): ObjectType | undefined {
  addStableTypes();
  const key = `${version}.${name}`;
  const known = types.get(key);
  const line = lines.get(key);
  if (known || line === undefined) return known;
  // A type refers to those of its version, of the core group and of the metadata by name, to others by version and name.
  const lookup = (target: string) => {
    const dot = target.lastIndexOf('.');
    if (dot > 0) return typeAt(target.slice(0, dot), target.slice(dot + 1));
    return typeAt(version, target) ?? typeAt('v1', target) ?? typeAt(metaVersion, target);
  };
  const type = new ObjectType(line, lookup);
  types.set(key, type);
  names.set(type, { version, name });
  return type;
}

/** The API version and the name of a type, such as `apps/v1` and `DeploymentSpec`. */
export const nameOfType = (type: ObjectType): { version: string; name: string } | undefined => names.get(type);

/** The type of a built-in kind, such as `Pod`, `PodList` or `Status`. */
export function typeOfKind(apiVersion: string, kind: string): ObjectType | undefined {
  const type = typeAt(apiVersion, kind) ?? listType(apiVersion, kind) ?? typeAt(metaVersion, kind);
  return type?.isKind ? type : undefined;
}

/** Lists have no lines: all are alike. */
function listType(apiVersion: string, kind: string): ObjectType | undefined {
  const key = `${apiVersion}.${kind}`;
  const element = kind.endsWith('List') ? kind.slice(0, -'List'.length) : '';
  if (!typeAt(apiVersion, element)?.isKind) return undefined;
  const lookup = (name: string) => typeAt(name === element ? apiVersion : metaVersion, name);
  const type = new ObjectType(`+${kind} metadata!:ListMeta items!:${element}[]`, lookup);
  types.set(key, type);
  return type;
}

/** The fields of a built-in resource's objects. */
export function fieldsOfKind({ group, version, kind }: Pick<ServedResource, 'group' | 'version' | 'kind'>): ObjectType | undefined {
  return typeOfKind(groupVersion(group, version), kind);
}

/** The fields of every object's metadata. */
export const metadataFields = (): ObjectType | undefined => typeAt(metaVersion, 'ObjectMeta');

/** The fields of every list's metadata. */
export const listMetadataFields = (): ObjectType | undefined => typeAt(metaVersion, 'ListMeta');
