import type { KubeObject } from '@nodeagent/api';
import { readYaml } from '@nodeagent/yaml';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';

/** A problem at a line of the editor, from 1. */
export interface Problem {
  line: number;
  message: string;
}

/** An object of a text, with the number of its document from 1. */
export interface ManifestObject {
  document: number;
  object: KubeObject;
}

/** The objects of a YAML text, and where it cannot be read. A list becomes its items. */
export async function readManifests(text: string): Promise<{ objects: ManifestObject[]; problems: Problem[] }> {
  const objects: ManifestObject[] = [];
  const problems: Problem[] = [];
  for (const { document, value, problem, duplicateLines } of await readYaml(text)) {
    if (problem) problems.push({ line: problem.line ?? 1, message: problem.message });
    for (const line of duplicateLines) problems.push({ line, message: 'the key is set twice' });
    if (value === null || value === undefined) continue;
    if (typeof value !== 'object' || Array.isArray(value))
      problems.push({ line: lineFinder(text)(document, []), message: 'expected an object with apiVersion, kind and metadata' });
    else for (const object of itemsOf(value as KubeObject)) objects.push({ document, object });
  }
  return { objects, problems };
}

/** The items of a `v1` List; otherwise the object alone. */
function itemsOf(object: KubeObject): KubeObject[] {
  const { kind, items } = object as { kind?: string; items?: KubeObject[] };
  return kind === 'List' && Array.isArray(items) ? items : [object];
}

/** A path in a document: keys and indexes. */
export type FieldPath = readonly (string | number)[];

/** The path of a field as the API server writes it: `spec.containers[0].image`, `metadata.labels[app.kubernetes.io/name]`. */
export function fieldPath(field: string): FieldPath {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, key, name]) => {
    const part = key ?? name ?? '';
    return key !== undefined && /^\d+$/.test(key) ? Number(part) : part.replace(/^"(.*)"$/, '$1');
  });
}

/** Finds the line of a field, or of its nearest ancestor that the text has. */
export function lineFinder(text: string): (document: number, path: FieldPath) => number {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, version: '1.1', uniqueKeys: false, logLevel: 'silent' });
  return (document, path) => {
    const root = 'empty' in documents ? null : documents[document - 1]?.contents;
    return lines.linePos(offsetOf(root as Node | null | undefined, path)).line || 1;
  };
}

function offsetOf(root: Node | null | undefined, path: FieldPath): number {
  let offset = root?.range?.[0] ?? 0;
  let node: unknown = root;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}
