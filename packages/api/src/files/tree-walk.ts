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

/** Creates a walk with the given calls. */
export function createTreeWalk(calls: TreeCalls): WalkTree {
  return (root, visit, signal) => new Walk(calls, root, visit, signal).run();
}

/** {@link createTreeWalk} as an expression, for the program of a thread. */
export const treeWalkProgram = () => `((calls) => {
  const Walk = ${Walk};
  return (root, visit, signal) => new Walk(calls, root, visit, signal).run();
})`;

/** One walk. Threads run it from its text: it refers to nothing outside of itself. */
class Walk {
  /** The deepest folders of the way from the root that stay open; more are opened again when the walk returns to them. */
  readonly #maxOpenFolders = 32;
  readonly #maxShownPath = 500;
  /** What open(2) answers for a file and for a link. */
  readonly #notAFolder = ['ENOTDIR', 'ELOOP'];
  readonly #calls: TreeCalls;
  readonly #root: string;
  readonly #visit: Parameters<WalkTree>[1];
  readonly #signal: AbortSignal | undefined;
  /** The folders from the root to the one that the walk is in. */
  readonly #way: Folder[] = [];
  #ownMount: string | undefined;

  constructor(calls: TreeCalls, root: string, visit: Parameters<WalkTree>[1], signal: AbortSignal | undefined) {
    this.#calls = calls;
    this.#root = root;
    this.#visit = visit;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const way = this.#way;
    try {
      this.#signal?.throwIfAborted();
      await this.#enter(this.#root, this.#root);
      for (let folder = way.at(-1); folder; folder = way.at(-1)) {
        this.#signal?.throwIfAborted();
        await this.#step(folder);
      }
    } finally {
      for (const folder of way) this.#close(folder);
    }
  }

  /** Enters the next folder of the deepest one, or leaves it. */
  async #step(folder: Folder): Promise<void> {
    const name = folder.folders.pop() ?? (await this.#nextFolder(folder));
    if (name === undefined) return this.#leave(folder);
    const place = this.#placeIn(folder, name);
    await this.#enter(place, name).catch((error: unknown) => this.#unlessVanished(error, place, name));
  }

  async #enter(place: string, name: string): Promise<void> {
    let fd: number;
    try {
      fd = await this.#calls.open(place);
    } catch (error) {
      if (this.#notAFolder.includes(this.#codeOf(error))) return this.#report({ place, kind: 'other' }, name);
      throw this.#named(error, place, name);
    }
    const mount = this.#mountOf(fd);
    this.#ownMount ??= mount;
    if (mount !== this.#ownMount) {
      this.#calls.closeSync(fd);
      return this.#report({ place, kind: 'mount' }, name);
    }
    this.#way.push({ name, open: { fd, listing: await this.#list(fd, name) }, folders: [] });
    const far = this.#way.at(-1 - this.#maxOpenFolders);
    if (far?.open) await this.#closeFar(far, far.open.fd);
  }

  async #list(fd: number, name: string): Promise<Dir> {
    try {
      return await this.#calls.list(this.#pathOf(fd));
    } catch (error) {
      this.#calls.closeSync(fd);
      throw this.#named(error, this.#pathOf(fd), name);
    }
  }

  /** The name of the next folder in the listing; undefined at its end. Reports the other entries before it. */
  async #nextFolder(folder: Folder): Promise<string | undefined> {
    const listing = folder.open?.listing;
    for (;;) {
      this.#signal?.throwIfAborted();
      const read = listing ? this.#calls.read(listing) : null;
      const entry = read instanceof Promise ? await read : read;
      if (entry === null) return undefined;
      if (entry.isDirectory()) return entry.name;
      const reported = this.#report({ place: this.#placeIn(folder, entry.name), kind: 'other' }, entry.name);
      if (reported instanceof Promise) await reported;
    }
  }

  async #leave(folder: Folder): Promise<void> {
    const parent = this.#way.at(-2);
    if (parent && !parent.open) parent.open = { fd: await this.#openParent(folder, parent), listing: undefined };
    this.#way.pop();
    this.#close(folder);
    await this.#report({ place: parent ? this.#placeIn(parent, folder.name) : this.#root, kind: 'folder' }, folder.name);
  }

  async #openParent(folder: Folder, { identity }: Folder): Promise<number> {
    const fd = await this.#calls.open(this.#placeIn(folder, '..'));
    if (this.#identityOf(fd) === identity) return fd;
    this.#calls.closeSync(fd);
    throw Object.assign(new Error(`ESTALE: ${folder.name} was moved to another folder`), { code: 'ESTALE' });
  }

  async #closeFar(folder: Folder, fd: number): Promise<void> {
    for (let name = await this.#nextFolder(folder); name !== undefined; name = await this.#nextFolder(folder)) folder.folders.push(name);
    folder.identity = this.#identityOf(fd);
    this.#close(folder);
  }

  /** Closing a folder that was read waits for no device. */
  #close(folder: Folder): void {
    const { open } = folder;
    folder.open = undefined;
    open?.listing?.closeSync();
    if (open) this.#calls.closeSync(open.fd);
  }

  #report(entry: TreeEntry, name: string): MaybePromise<void> {
    try {
      const visited = this.#visit(entry);
      return visited instanceof Promise ? visited.catch((error: unknown) => this.#unlessVanished(error, entry.place, name)) : visited;
    } catch (error) {
      this.#unlessVanished(error, entry.place, name);
    }
  }

  #unlessVanished(error: unknown, place: string, name: string): void {
    if (this.#codeOf(error) !== 'ENOENT') throw this.#named(error, place, name);
  }

  /** The error with the entry's path in place of the handle's, which a reader cannot resolve. */
  #named(error: unknown, place: string, name: string): unknown {
    if (!(error instanceof Error)) return error;
    const path = this.#way.length === 0 ? this.#root : [...this.#way.map((folder) => folder.name), name].join('/');
    const shown = path.length > this.#maxShownPath ? `${path.slice(0, this.#maxShownPath)}...` : path;
    error.message = error.message.replace(place, () => shown);
    return error;
  }

  #codeOf(error: unknown): string {
    return (error as { code?: string }).code ?? '';
  }

  #placeIn({ open }: Folder, name: string): string {
    return `${this.#pathOf((open as NonNullable<Folder['open']>).fd)}/${name}`;
  }

  #pathOf(fd: number): string {
    return `${this.#calls.handles}/${fd}`;
  }

  #identityOf(fd: number): string {
    const { dev, ino } = this.#calls.fstatSync(fd, { bigint: true });
    return `${dev}:${ino}`;
  }

  /** The kernel's id of the mount that an open file is in. A file of procfs: the call does not wait for a device. */
  #mountOf(fd: number): string | undefined {
    return /^mnt_id:\s*(\d+)$/m.exec(this.#calls.readFileSync(`${this.#calls.handles}info/${fd}`, 'utf8'))?.[1];
  }
}
