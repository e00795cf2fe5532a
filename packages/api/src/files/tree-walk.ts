import type { closeSync, Dir, fstatSync, readFileSync } from 'node:fs';
import type { MaybePromise, TreeEntry, WalkTree } from './tree-entry.js';

/** The file calls of a walk. A walk whose calls return no promises awaits nothing but the end of each folder. */
export interface TreeCalls {
  /** The folder of the process's open files: `/proc/self/fd`, or its path without links. */
  handles: string;
  /** Opens the place of a folder, not of a link to one. */
  open(place: string): MaybePromise<number>;
  list(path: string): MaybePromise<Dir>;
  read(listing: Dir): MaybePromise<{ name: string; isDirectory(): boolean } | null>;
  closeSync: typeof closeSync;
  fstatSync: typeof fstatSync;
  readFileSync: typeof readFileSync;
}

/** A folder that the walk is in. */
interface Folder {
  readonly name: string;
  /** Undefined while the walk is deep below the folder. */
  open: { fd: number; listing: Dir | undefined } | undefined;
  /** Folders in it that the walk has listed and not entered. */
  readonly folders: string[];
  /** Device and inode of a folder that is not open. */
  identity?: string;
}

/** Creates a walk with the given calls. Threads run it from its text: it refers to nothing outside of itself. */
export function createTreeWalk(calls: TreeCalls): WalkTree {
  /** The deepest folders of the way from the root that stay open; more are opened again when the walk returns to them. */
  const maxOpenFolders = 32;
  const maxShownPath = 500;
  /** What open(2) answers for a file and for a link. */
  const notAFolder = ['ENOTDIR', 'ELOOP'];

  const codeOf = (error: unknown) => (error as { code?: string }).code ?? '';
  const pathOf = (fd: number) => `${calls.handles}/${fd}`;
  const placeIn = ({ open }: Folder, name: string) => `${pathOf((open as NonNullable<Folder['open']>).fd)}/${name}`;

  const identityOf = (fd: number) => {
    const { dev, ino } = calls.fstatSync(fd, { bigint: true });
    return `${dev}:${ino}`;
  };

  /** The kernel's id of the mount that an open file is in. A file of procfs: the call does not wait for a device. */
  const mountOf = (fd: number) => /^mnt_id:\s*(\d+)$/m.exec(calls.readFileSync(`${calls.handles}info/${fd}`, 'utf8'))?.[1];

  /** Closing a folder that was read waits for no device. */
  function close(folder: Folder): void {
    const { open } = folder;
    folder.open = undefined;
    open?.listing?.closeSync();
    if (open) calls.closeSync(open.fd);
  }

  async function openParent(folder: Folder, { identity }: Folder): Promise<number> {
    const fd = await calls.open(placeIn(folder, '..'));
    if (identityOf(fd) === identity) return fd;
    calls.closeSync(fd);
    throw Object.assign(new Error(`ESTALE: ${folder.name} was moved to another folder`), { code: 'ESTALE' });
  }

  return async (root, visit, signal) => {
    const way: Folder[] = [];
    let ownMount: string | undefined;

    /** The error with the entry's path in place of the handle's, which a reader cannot resolve. */
    function named(error: unknown, place: string, name: string): unknown {
      if (!(error instanceof Error)) return error;
      const path = way.length === 0 ? root : [...way.map((folder) => folder.name), name].join('/');
      const shown = path.length > maxShownPath ? `${path.slice(0, maxShownPath)}...` : path;
      error.message = error.message.replace(place, () => shown);
      return error;
    }

    function unlessVanished(error: unknown, place: string, name: string): void {
      if (codeOf(error) !== 'ENOENT') throw named(error, place, name);
    }

    function report(entry: TreeEntry, name: string): MaybePromise<void> {
      try {
        const visited = visit(entry);
        return visited instanceof Promise ? visited.catch((error: unknown) => unlessVanished(error, entry.place, name)) : visited;
      } catch (error) {
        unlessVanished(error, entry.place, name);
      }
    }

    async function enter(place: string, name: string): Promise<void> {
      let fd: number;
      try {
        fd = await calls.open(place);
      } catch (error) {
        if (notAFolder.includes(codeOf(error))) return report({ place, kind: 'other' }, name);
        throw named(error, place, name);
      }
      const mount = mountOf(fd);
      ownMount ??= mount;
      if (mount !== ownMount) {
        calls.closeSync(fd);
        return report({ place, kind: 'mount' }, name);
      }
      way.push({ name, open: { fd, listing: await list(fd, name) }, folders: [] });
      const far = way.at(-1 - maxOpenFolders);
      if (far?.open) await closeFar(far, far.open.fd);
    }

    async function list(fd: number, name: string): Promise<Dir> {
      try {
        return await calls.list(pathOf(fd));
      } catch (error) {
        calls.closeSync(fd);
        throw named(error, pathOf(fd), name);
      }
    }

    /** The name of the next folder in the listing; undefined at its end. Reports the other entries before it. */
    async function nextFolder(folder: Folder): Promise<string | undefined> {
      const listing = folder.open?.listing;
      for (;;) {
        signal?.throwIfAborted();
        const read = listing ? calls.read(listing) : null;
        const entry = read instanceof Promise ? await read : read;
        if (entry === null) return undefined;
        if (entry.isDirectory()) return entry.name;
        const reported = report({ place: placeIn(folder, entry.name), kind: 'other' }, entry.name);
        if (reported instanceof Promise) await reported;
      }
    }

    async function closeFar(folder: Folder, fd: number): Promise<void> {
      for (let name = await nextFolder(folder); name !== undefined; name = await nextFolder(folder)) folder.folders.push(name);
      folder.identity = identityOf(fd);
      close(folder);
    }

    async function leave(folder: Folder): Promise<void> {
      const parent = way.at(-2);
      if (parent && !parent.open) parent.open = { fd: await openParent(folder, parent), listing: undefined };
      way.pop();
      close(folder);
      await report({ place: parent ? placeIn(parent, folder.name) : root, kind: 'folder' }, folder.name);
    }

    /** Enters the next folder of the deepest one, or leaves it. */
    async function step(folder: Folder): Promise<void> {
      const name = folder.folders.pop() ?? (await nextFolder(folder));
      if (name === undefined) return leave(folder);
      const place = placeIn(folder, name);
      await enter(place, name).catch((error: unknown) => unlessVanished(error, place, name));
    }

    try {
      signal?.throwIfAborted();
      await enter(root, root);
      for (let folder = way.at(-1); folder; folder = way.at(-1)) {
        signal?.throwIfAborted();
        await step(folder);
      }
    } finally {
      for (const folder of way) close(folder);
    }
  };
}
