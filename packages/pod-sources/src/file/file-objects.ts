import type { LocalObject } from '../manifest/local-object.js';
import type { FileSourceStep, ManifestFile } from './file-source-state.js';

/** The objects of each file beside its pods. */
export type FileObjects = ReadonlyMap<string, readonly LocalObject[]>;

/** Applies a step. While a document of a file is refused, the objects of its last valid version that it no longer has remain. */
export function nextFileObjects(files: FileObjects, step: FileSourceStep): FileObjects {
  switch (step.type) {
    case 'missing':
      return new Map();
    case 'scan':
      return new Map(step.files.map((file) => [file.file, objectsOf(file, files.get(file.file))]));
    case 'change':
      return new Map(files).set(step.file.file, objectsOf(step.file, files.get(step.file.file)));
    case 'delete':
      return new Map([...files].filter(([file]) => file !== step.file));
  }
}

/** All objects; of two with one name the one of the file that is last in the order of names. */
export function allObjects(files: FileObjects): LocalObject[] {
  const sorted = [...files].sort(([one], [other]) => (one < other ? -1 : 1));
  return [...new Map(sorted.flatMap(([, objects]) => objects.map((object) => [keyOf(object), object] as const))).values()];
}

function objectsOf({ documents }: ManifestFile, before: readonly LocalObject[] = []): LocalObject[] {
  const found = documents.flatMap(({ object }) => (object === undefined ? [] : [object]));
  if (documents.every(({ error }) => error === undefined)) return found;
  const names = new Set(found.map(keyOf));
  return [...found, ...before.filter((object) => !names.has(keyOf(object)))];
}

const keyOf = ({ kind, metadata }: LocalObject) => `${kind} ${metadata?.namespace}/${metadata?.name}`;
