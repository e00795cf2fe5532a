import { fileError } from './file-error.js';

/** A file; programs that mount it share it. */
export interface MemoryFile {
  kind: 'file';
  content: string | Uint8Array;
}

export interface MemoryFolder {
  kind: 'folder';
  entries: Map<string, MemoryFile | MemoryFolder | MemoryLink>;
}

/** A symbolic link to an absolute path. */
export interface MemoryLink {
  kind: 'link';
  target: string;
}

/**
 * The files of a simulated node, in memory: what its agent writes, what volumes contain, and what programs see through their mounts. All
 * paths are absolute. As on a real node a mount keeps the file or folder that it was made of, even if another one replaces it later.
 */
export interface MemoryFileSystem {
  /** The file or folder at the path, links followed; undefined if there is none. */
  find(path: string): MemoryFile | MemoryFolder | undefined;
  /** Replaces the file's content. Creates parent folders. */
  write(path: string, content: string | Uint8Array): void;
  append(path: string, text: string): void;
  /** Returns the folder; creates it and its parents if they are missing. */
  makeFolder(path: string): MemoryFolder;
  /** Makes new files the whole content of a folder, as an update of a ConfigMap volume does; keys are paths in the folder. */
  replaceContent(folder: string, files: ReadonlyMap<string, string | Uint8Array>): void;
  /** Makes the file or folder at `path` visible at `target` too, as a bind mount; creates a missing one as a folder. */
  bind(path: string, target: string): void;
  /** Creates a symbolic link, in place of what is there. */
  link(target: string, path: string): void;
  /** Removes a file, a link, or a folder with its content; does nothing if the path is missing. */
  remove(path: string): void;
}

/** Creates an empty file system, see {@link MemoryFileSystem}. */
export function createMemoryFileSystem(): MemoryFileSystem {
  const root: MemoryFolder = newFolder();
  const find = (path: string, links = 0): MemoryFile | MemoryFolder | undefined => {
    let node: MemoryFile | MemoryFolder | MemoryLink | undefined = root;
    for (const name of namesOf(path)) node = node?.kind === 'folder' ? node.entries.get(name) : undefined;
    if (node?.kind !== 'link') return node;
    return links < maxLinks ? find(node.target, links + 1) : undefined;
  };
  const makeFolder = (path: string) => makeFolderBelow(root, namesOf(path), path);
  const place = (path: string, node: MemoryFile | MemoryFolder | MemoryLink) => {
    const names = namesOf(path);
    const name = names.pop() ?? '';
    makeFolderBelow(root, names, path).entries.set(name, node);
  };
  const fileAt = (path: string): MemoryFile => {
    const found = find(path);
    if (found?.kind === 'folder') throw fileError('EISDIR', 'open', path);
    if (found) return found;
    const file: MemoryFile = { kind: 'file', content: '' };
    place(path, file);
    return file;
  };
  return {
    find: (path) => find(path),
    makeFolder,
    write(path, content) {
      fileAt(path).content = content;
    },
    append(path, text) {
      const file = fileAt(path);
      file.content = textOf(file) + text;
    },
    replaceContent(folder, files) {
      const { entries } = makeFolder(folder);
      entries.clear();
      for (const [path, content] of files) place(`${folder}/${path}`, { kind: 'file', content });
    },
    bind(path, target) {
      place(target, find(path) ?? makeFolder(path));
    },
    link: (target, path) => place(path, { kind: 'link', target }),
    remove(path) {
      const names = namesOf(path);
      const name = names.pop() ?? '';
      const folder = find(`/${names.join('/')}`);
      if (folder?.kind === 'folder') folder.entries.delete(name);
    },
  };
}

const maxLinks = 40;

export const newFolder = (): MemoryFolder => ({ kind: 'folder', entries: new Map() });

/** The parts of an absolute path, without `.` and with `..` resolved. */
export function namesOf(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names;
}

export function makeFolderBelow(root: MemoryFolder, names: readonly string[], path: string): MemoryFolder {
  let folder = root;
  for (const name of names) {
    const next = folder.entries.get(name) ?? newFolder();
    if (next.kind !== 'folder') throw fileError('ENOTDIR', 'mkdir', path);
    folder.entries.set(name, next);
    folder = next;
  }
  return folder;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export const textOf = ({ content }: MemoryFile): string => (typeof content === 'string' ? content : decoder.decode(content));
export const bytesOf = ({ content }: MemoryFile): Uint8Array => (typeof content === 'string' ? encoder.encode(content) : content.slice());
