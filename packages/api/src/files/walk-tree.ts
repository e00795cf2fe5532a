import { closeSync, constants, type Dir, fstatSync, open as openFile, readFileSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../contracts/errors.js';

/** An entry of a tree, valid during the call that receives it. */
export interface TreeEntry {
  /**
   * The entry's path. The kernel resolves all but its last name from an open folder, so a program that changes the tree meanwhile cannot lead it
   * elsewhere. Use it only with calls that follow no link at the last name, such as `lstat` and `unlink`.
   */
  readonly place: string;
  /** `mount` is the root of another mount, which is not entered. */
  readonly kind: 'folder' | 'mount' | 'other';
}

/**
 * Visits all entries of a tree that others may change meanwhile, such as a volume: the content of a folder before the folder, the root last. Follows
 * no link, enters no other mount, and has no limit of depth or path length: it keeps up to 33 folders open. Entries that vanish are left out. Rejects
 * with the first error, which names the entry's path; with ENOENT if the root is missing, and with ESTALE if a folder moves while the walk is in it.
 */
export async function walkTree(root: string, visit: (entry: TreeEntry) => Promise<void>, signal?: AbortSignal): Promise<void> {
  const walk = new TreeWalk(root, visit);
  try {
    await walk.start();
    while (walk.isInside) {
      signal?.throwIfAborted();
      await walk.step();
    }
  } finally {
    walk.close();
  }
}

/** The deepest folders of the way from the root that stay open; more are opened again when the walk returns to them. */
const maxOpenFolders = 32;
const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** What open(2) answers with {@link folderFlags} for a file and for a link. */
const notAFolder = new Set(['ENOTDIR', 'ELOOP']);

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

class TreeWalk {
  readonly #root: string;
  readonly #visit: (entry: TreeEntry) => Promise<void>;
  readonly #way: Folder[] = [];
  #mount: string | undefined;

  constructor(root: string, visit: (entry: TreeEntry) => Promise<void>) {
    this.#root = root;
    this.#visit = visit;
  }

  get isInside(): boolean {
    return this.#way.length > 0;
  }

  async start(): Promise<void> {
    await this.#enter(this.#root, this.#root);
  }

  /** Processes the next entry of the deepest folder, or leaves the folder. */
  async step(): Promise<void> {
    const folder = this.#way.at(-1) as Folder;
    const listed = folder.folders.pop();
    if (listed !== undefined) return this.#unlessVanished(this.#enter(placeIn(folder, listed), listed));
    const entry = await folder.open?.listing?.read();
    if (!entry) return this.#leave(folder);
    const place = placeIn(folder, entry.name);
    await this.#unlessVanished(entry.isDirectory() ? this.#enter(place, entry.name) : this.#report({ place, kind: 'other' }, entry.name));
  }

  close(): void {
    for (const folder of this.#way) close(folder);
  }

  async #enter(place: string, name: string): Promise<void> {
    let fd: number;
    try {
      fd = await open(place, folderFlags);
    } catch (error) {
      if (notAFolder.has(errorCode(error) ?? '')) return this.#report({ place, kind: 'other' }, name);
      throw this.#named(error, place, name);
    }
    const mount = mountOf(fd);
    this.#mount ??= mount;
    if (mount !== this.#mount) {
      closeSync(fd);
      return this.#report({ place, kind: 'mount' }, name);
    }
    const folder: Folder = { name, open: { fd, listing: undefined }, folders: [] };
    this.#way.push(folder);
    folder.open = { fd, listing: await opendir(pathOf(fd)) };
    const far = this.#way.at(-1 - maxOpenFolders);
    if (far?.open) await this.#closeFar(far, far.open);
  }

  async #closeFar(folder: Folder, { fd, listing }: NonNullable<Folder['open']>): Promise<void> {
    for (let entry = await listing?.read(); entry; entry = await listing?.read()) {
      if (entry.isDirectory()) folder.folders.push(entry.name);
      else await this.#unlessVanished(this.#report({ place: placeIn(folder, entry.name), kind: 'other' }, entry.name));
    }
    folder.identity = identityOf(fd);
    close(folder);
  }

  async #leave(folder: Folder): Promise<void> {
    const parent = this.#way.at(-2);
    if (parent && !parent.open) parent.open = { fd: await openParent(folder, parent), listing: undefined };
    this.#way.pop();
    close(folder);
    const place = parent ? placeIn(parent, folder.name) : this.#root;
    await this.#unlessVanished(this.#report({ place, kind: 'folder' }, folder.name));
  }

  async #report(entry: TreeEntry, name: string): Promise<void> {
    try {
      await this.#visit(entry);
    } catch (error) {
      throw this.#named(error, entry.place, name);
    }
  }

  async #unlessVanished(step: Promise<void>): Promise<void> {
    try {
      await step;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }

  /** The error with the entry's path in place of the handle's, which a reader cannot resolve. */
  #named(error: unknown, place: string, name: string): unknown {
    if (!(error instanceof Error)) return error;
    const path = name === this.#root ? name : join(...this.#way.map((folder) => folder.name), name);
    const shown = path.length > maxShownPath ? `${path.slice(0, maxShownPath)}...` : path;
    error.message = error.message.replace(place, () => shown);
    return error;
  }
}

const maxShownPath = 500;

const open = promisify(openFile);

const pathOf = (fd: number) => `/proc/self/fd/${fd}`;

function placeIn({ open }: Folder, name: string): string {
  return `${pathOf((open as NonNullable<Folder['open']>).fd)}/${name}`;
}

/** Closing a folder that was read waits for no device. */
function close(folder: Folder): void {
  const { open } = folder;
  folder.open = undefined;
  open?.listing?.closeSync();
  if (open) closeSync(open.fd);
}

async function openParent(folder: Folder, { identity }: Folder): Promise<number> {
  const fd = await open(placeIn(folder, '..'), folderFlags);
  if (identityOf(fd) === identity) return fd;
  closeSync(fd);
  throw Object.assign(new Error(`ESTALE: ${folder.name} was moved to another folder`), { code: 'ESTALE' });
}

function identityOf(fd: number): string {
  const { dev, ino } = fstatSync(fd, { bigint: true });
  return `${dev}:${ino}`;
}

/** The kernel's id of the mount that an open file is in. A file of procfs: the call does not wait for a device. */
function mountOf(fd: number): string | undefined {
  return /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
}
