import { createHash } from 'node:crypto';
import type { Random } from '@nodeagent/api';
import type { TarEntry } from './tar-layer.js';
import type { ListedFile, TreeListing } from './tree-listing.js';

type Kind = 'file' | 'folder' | 'symlink' | 'fifo' | 'char';

interface Attributes {
  kind: Kind;
  mode: number;
  uid: number;
  gid: number;
  mtime: bigint;
  content: string;
  target: string;
  xattrs: Readonly<Record<string, Buffer>>;
}

/** A file; names with one node are hard links of each other. A folder that was removed and created again is another node. */
type Node = Readonly<Attributes>;
/** By path; a folder is before its content. */
type Tree = Map<string, Node>;

const names = ['a', 'b', 'c', 'd', 'long-'.repeat(25)];
const maxDepth = 4;

/** An image of a test, and the tree that its layers make. */
export interface RandomImage {
  /** Lowest first. */
  layers: TarEntry[][];
  tree: TreeListing;
}

/** An image with random changes from one layer to the next, as programs write them that compare two trees. */
export function randomImage(random: Random, layers = 3, changes = 25): RandomImage {
  const tree: Tree = new Map();
  const entries = Array.from({ length: layers }, () => {
    const before = new Map(tree);
    for (let change = 0; change < changes; change++) changeTree(tree, random);
    return layerBetween(before, tree);
  });
  return { layers: entries, tree: listingOf(tree) };
}

function listingOf(tree: Tree): TreeListing {
  const listed = [...tree].map(([path, node]): [string, ListedFile] => {
    const { kind, mode, uid, gid, mtime, content, target, xattrs } = node;
    const links = kind === 'folder' ? [] : [...tree].flatMap(([other, same]) => (same === node ? [`./${other}`] : []));
    const hash = createHash('sha256').update(content).digest('hex');
    return [
      `./${path}`,
      {
        type: kind,
        owner: `${uid}:${gid}`,
        mode: mode.toString(8),
        mtime: `${mtime}`,
        device: kind === 'char' ? '259' : '',
        target,
        links: links.sort().join(' '),
        xattrs: Object.entries(xattrs)
          .map(([key, value]) => `${key}=0x${value.toString('hex')}`)
          .sort()
          .join(' '),
        content: kind === 'file' ? `${content.length} bytes, sha256 ${hash}` : '',
      },
    ];
  });
  return new Map(listed);
}

const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0));
const isBelow = (path: string, folder: string) => folder === '' || path.startsWith(`${folder}/`);

function changeTree(tree: Tree, random: Random): void {
  const folders = ['', ...[...tree].flatMap(([path, { kind }]) => (kind === 'folder' && path.split('/').length < maxDepth ? [path] : []))];
  const folder = pick(random, folders);
  const path = folder === '' ? pick(random, names) : `${folder}/${pick(random, names)}`;
  const existing = tree.get(path);
  const files = [...tree].filter(([other, { kind }]) => kind !== 'folder' && other !== path);
  const action = random();
  if (action < 0.2) removeFrom(tree, path);
  else if (action < 0.35 && existing !== undefined) {
    const { uid, mtime, ...of } = randomNode(random);
    const isLink = existing.kind === 'symlink';
    const changed = {
      ...existing,
      uid,
      mtime,
      ...(!isLink && { mode: of.mode & 0o7777 }),
      ...(existing.kind === 'file' && { xattrs: of.xattrs }),
    };
    for (const [other, node] of tree) if (node === existing) tree.set(other, changed);
  } else {
    const link = action < 0.5 && files.length > 0 ? pick(random, files)[1] : undefined;
    removeFrom(tree, path);
    tree.set(path, link ?? randomNode(random));
  }
}

function removeFrom(tree: Tree, path: string): void {
  for (const other of [...tree.keys()]) if (other === path || isBelow(other, path)) tree.delete(other);
}

function randomNode(random: Random): Node {
  const kind = pick<Kind>(random, ['file', 'file', 'file', 'folder', 'folder', 'folder', 'symlink', 'fifo', 'char']);
  return {
    kind,
    mode: kind === 'symlink' ? 0o777 : Math.floor(random() * 0o10000),
    uid: pick(random, [0, 1000, 100_000, 2 ** 22]),
    gid: pick(random, [0, 1000, 3_000_000_000]),
    mtime: BigInt(Math.floor(random() * 2e9)) * 1_000_000_000n + BigInt(Math.floor(random() * 1e9)),
    content: kind === 'file' ? 'x'.repeat(Math.floor(random() * 3000)) : '',
    target: kind === 'symlink' ? pick(random, ['a', '../b', '/c', '../../../a/b', './d', 'missing']) : '',
    xattrs: kind === 'file' && random() < 0.3 ? { [`user.${pick(random, names.slice(0, 4))}`]: Buffer.from(`${random()}`) } : {},
  };
}

/** What changes one tree into another: OCI image specification, "Image Layer Filesystem Changeset". */
function layerBetween(before: Tree, after: Tree): TarEntry[] {
  const isReplaced = (path: string) => before.get(path)?.kind === 'folder' && after.get(path)?.kind === 'folder' && hasOtherContent(path);
  const hasOtherContent = (folder: string) => {
    const within = [...before.keys()].filter((path) => parentOf(path) === folder);
    return within.length > 0 && within.every((path) => !after.has(path));
  };
  const opaque = new Set([...after.keys()].filter(isReplaced));
  const nodes = new Map<Node, string[]>();
  for (const [path, node] of after) if (node.kind !== 'folder') nodes.set(node, [...(nodes.get(node) ?? []), path]);
  const isChanged = (path: string) => before.get(path) !== after.get(path) || [...opaque].some((folder) => isBelow(path, folder));
  const changedNodes = new Set(
    [...nodes].flatMap(([node, paths]) => (paths.some(isChanged) || linksOf(before, node) !== paths.length ? [node] : [])),
  );
  const written = new Map<Node, string>();
  const entries: TarEntry[] = [];
  for (const path of [...after.keys()].sort()) {
    const node = after.get(path);
    if (node === undefined) continue;
    if (node.kind === 'folder' ? isChanged(path) || opaque.has(path) : changedNodes.has(node)) entries.push(entryOf(path, node, written));
    if (opaque.has(path)) entries.push({ name: `${path}/.wh..wh..opq` });
  }
  const removed = [...before.keys()].filter(
    (path) => !after.has(path) && (parentOf(path) === '' || after.get(parentOf(path))?.kind === 'folder'),
  );
  for (const path of removed)
    if (!opaque.has(parentOf(path)) && isStillBelow(before, after, path)) entries.push({ name: path.replace(/([^/]*)$/, '.wh.$1') });
  return entries;
}

const linksOf = (tree: Tree, node: Node) => [...tree.values()].filter((other) => other === node).length;

/** Whether the folder of a path was a folder before, too. */
const isStillBelow = (before: Tree, after: Tree, path: string): boolean => {
  const parent = parentOf(path);
  return parent === '' || (before.get(parent)?.kind === 'folder' && after.get(parent)?.kind === 'folder');
};

function entryOf(path: string, node: Node, written: Map<Node, string>): TarEntry {
  const { kind, mode, uid, gid, mtime, content, target, xattrs } = node;
  const attributes = { mode, uid, gid, mtime, ...(Object.keys(xattrs).length > 0 && { xattrs }) };
  const first = written.get(node);
  if (first !== undefined) return { name: path, type: 'link', target: first, ...attributes };
  if (kind === 'folder') return { name: `${path}/`, type: 'folder', ...attributes };
  written.set(node, path);
  const own = kind === 'symlink' ? { target } : kind === 'char' ? { device: [1, 3] as const } : { content };
  return { name: path, type: kind, ...own, ...attributes };
}
