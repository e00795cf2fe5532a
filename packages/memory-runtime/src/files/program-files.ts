import { fileError } from './file-error.js';
import {
  bytesOf,
  type MemoryFile,
  type MemoryFolder,
  type MemoryLink,
  makeFolderBelow,
  namesOf,
  newFolder,
  textOf,
} from './memory-file-system.js';

/**
 * The files that a program sees: those of its mounts, and a layer that ends with the container. Relative paths are relative to the working
 * directory. Errors have the codes of Node's: `ENOENT`, `ENOTDIR`, `EISDIR`, `EROFS`, `EBUSY`.
 */
export interface ProgramFiles {
  readText(path: string): string;
  /** A copy of the content. */
  readBytes(path: string): Uint8Array;
  /** Replaces the content. The folder must exist. */
  write(path: string, content: string | Uint8Array): void;
  append(path: string, text: string): void;
  /** The names in a folder, sorted. */
  list(path: string): string[];
  exists(path: string): boolean;
  /** Creates the folder and its parents if they are missing. */
  makeDirectory(path: string): void;
  /** Removes a file, or a folder with its content; does nothing if it is missing. */
  remove(path: string): void;
}

export interface ProgramMount {
  containerPath: string;
  /** What the mount was made of when the container started. */
  source: MemoryFile | MemoryFolder;
  readonly: boolean;
}

export interface ProgramFilesOptions {
  mounts: readonly ProgramMount[];
  /** The working directory; it exists. */
  cwd: string;
  /** `securityContext.readOnlyRootFilesystem` */
  readonlyRoot: boolean;
}

type Entry = MemoryFile | MemoryFolder;

/** A place in the container: what is there, and whether it may be changed. */
interface Place {
  entry: Entry | undefined;
  parent: MemoryFolder | undefined;
  name: string;
  readonly: boolean;
  isMount: boolean;
}

/** Creates the view of one run of a container. */
export function createProgramFiles({ mounts, cwd, readonlyRoot }: ProgramFilesOptions): ProgramFiles {
  const layer: MemoryFolder = newFolder();
  const byPath = new Map(mounts.map((mount) => [`/${namesOf(mount.containerPath).join('/')}`, mount]));
  for (const path of ['/tmp', cwd]) makeFolderBelow(layer, namesOf(path), path);
  // A mount point exists in the folder above it.
  for (const { containerPath } of mounts) makeFolderBelow(layer, namesOf(containerPath), containerPath);

  const locate = (path: string): Place => {
    const place: Place = { entry: layer, parent: undefined, name: '', readonly: readonlyRoot, isMount: false };
    let at = '';
    for (const name of namesOf(path.startsWith('/') ? path : `${cwd}/${path}`)) {
      at += `/${name}`;
      const mount = byPath.get(at);
      place.parent = place.entry?.kind === 'folder' ? place.entry : undefined;
      place.entry = mount?.source ?? withoutLink(place.parent?.entries.get(name));
      place.name = name;
      place.isMount = mount !== undefined;
      if (mount) place.readonly = mount.readonly;
    }
    return place;
  };
  const fileToRead = (path: string): MemoryFile => {
    const { entry } = locate(path);
    if (entry === undefined) throw fileError('ENOENT', 'open', path);
    if (entry.kind === 'folder') throw fileError('EISDIR', 'read', path);
    return entry;
  };
  const fileToWrite = (path: string): MemoryFile => {
    const { entry, parent, name, readonly } = locate(path);
    if (entry?.kind === 'folder') throw fileError('EISDIR', 'open', path);
    if (parent === undefined) throw fileError('ENOENT', 'open', path);
    if (readonly) throw fileError('EROFS', 'open', path);
    const file: MemoryFile = entry ?? { kind: 'file', content: '' };
    if (entry === undefined) parent.entries.set(name, file);
    return file;
  };

  return {
    readText: (path) => textOf(fileToRead(path)),
    readBytes: (path) => bytesOf(fileToRead(path)),
    write(path, content) {
      fileToWrite(path).content = typeof content === 'string' ? content : content.slice();
    },
    append(path, text) {
      const file = fileToWrite(path);
      file.content = textOf(file) + text;
    },
    list(path) {
      const { entry } = locate(path);
      if (entry === undefined) throw fileError('ENOENT', 'scandir', path);
      if (entry.kind !== 'folder') throw fileError('ENOTDIR', 'scandir', path);
      return [...entry.entries.keys()].sort();
    },
    exists: (path) => locate(path).entry !== undefined,
    makeDirectory(path) {
      const names = namesOf(path.startsWith('/') ? path : `${cwd}/${path}`);
      for (let depth = 1; depth <= names.length; depth++) {
        const { entry, parent, name, readonly } = locate(`/${names.slice(0, depth).join('/')}`);
        if (entry?.kind === 'folder') continue;
        if (entry || parent === undefined) throw fileError('ENOTDIR', 'mkdir', path);
        if (readonly) throw fileError('EROFS', 'mkdir', path);
        parent.entries.set(name, newFolder());
      }
    },
    remove(path) {
      const { entry, parent, name, readonly, isMount } = locate(path);
      if (entry === undefined) return;
      if (isMount || parent === undefined) throw fileError('EBUSY', 'rm', path);
      if (readonly) throw fileError('EROFS', 'rm', path);
      parent.entries.delete(name);
    },
  };
}

/** Links are the agent's, on the node; containers have none. */
const withoutLink = (entry: Entry | MemoryLink | undefined): Entry | undefined => (entry?.kind === 'link' ? undefined : entry);
