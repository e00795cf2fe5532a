import { chown, lstat, mkdir, readdir, realpath, statfs } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import {
  apiErrorCodes,
  type Clock,
  errorCode,
  errorMessage,
  type Mounter,
  type MountInfo,
  NodeAgentError,
  type VolumeUsage,
} from '@nodeagent/api';
import { handlePath, readRegularFile, removeTree, replaceFile, unlessAbsent } from '@nodeagent/api/files';
import { equalJson, quoteText } from '@nodeagent/api/helpers';
import { createVolumeMeter, mountPathOf, pathInRoot, safeOpen } from '@nodeagent/mount-utils';
import { imageStoreErrorCodes } from '../errors.js';
import { createKeyedTurns } from '../pull/limited.js';
import { hostId, type IdMappings, requireIdMappings } from './id-mapping.js';
import { limitedMounter } from './limited-mounter.js';
import { decodeMountRecord, encodeMountRecord, type MountRecord } from './mount-record.js';
import { isMountWithin, mountOverlay, rootOf, unmountAll, unmountBelow } from './overlay.js';
import { isSelinuxContext, maxOverlayFolders, unsuitableForUpper } from './overlay-options.js';
import { createShiftedTrees, type ShiftedTrees } from './shifted-trees.js';

/** How a tree is mounted. */
export interface MountOptions {
  /** Names the mount, such as the ID of a container: 1 to 128 letters, digits, `_`, `.` and `-`, the first a letter or digit. */
  key: string;
  /** Adds a writable layer, which `removeMount` removes. Default false: an image volume. */
  isWritable?: boolean;
  /** An absolute path at which the tree is mounted besides, with `nosuid` and `nodev`; it must exist and be no link. */
  target?: string;
  /** A path in the tree, which is resolved as in a container, to mount or return in place of the whole. Only without a writable layer. */
  subPath?: string;
  /** The user namespace of the container. Default: that of the machine. */
  idMappings?: IdMappings;
  /** The SELinux label of all files, such as `system_u:object_r:container_file_t:s0:c1,c2`. */
  selinuxContext?: string;
  /** Ends the call; what it mounted is unmounted. */
  signal?: AbortSignal;
}

/** What a mount shows: an image of the store, or folders of the machine, the uppermost first. */
interface MountedTree {
  image?: string;
  folders: readonly string[];
}

/** A mount. */
export interface ImageMount {
  key: string;
  /** The tree, or the part that `subPath` names. */
  path: string;
  /** The digest of the manifest, or of the index, of the image. */
  image?: string;
  isWritable: boolean;
  /** False after the machine has restarted, or after `unmount`. */
  isMounted: boolean;
  target?: string;
}

/** What is mounted. Each mount has a record that is written before it is mounted and removed after it is unmounted. */
export interface MountedImages {
  /**
   * Unmounts the tree, and keeps its writable layer for the next `mount` of the key. Does nothing if it is not mounted. Rejects with `MountFailed`, retryable,
   * while a process uses it.
   */
  unmount(key: string, options?: UnmountOptions): Promise<void>;
  /** Unmounts the tree, and removes its writable layer. Does nothing if there is no such mount. Rejects as `unmount`. */
  removeMount(key: string, options?: UnmountOptions): Promise<void>;
  /** All mounts, also those of previous processes. */
  listMounts(): Promise<ImageMount[]>;
  /** Bytes and inodes of a writable layer, counted as du(1) does. Rejects with `UnknownMount`. */
  snapshotUsage(key: string, signal: AbortSignal): Promise<VolumeUsage>;
}

/** The mounts below a folder. */
export interface ImageMounts extends MountedImages {
  /** Idempotent for the same tree and options. Rejects with a code of `imageStoreErrorCodes` or with `MountFailed`, and leaves nothing. */
  mount(tree: MountedTree, options: MountOptions): Promise<ImageMount>;
  /** All folders that mounts show. */
  foldersInUse(): Set<string>;
}

/** How a tree is unmounted. */
export interface UnmountOptions {
  /** Detaches the mount although processes use it; they keep it until they end. Default false: rejects with `MountFailed` meanwhile. */
  isLazy?: boolean;
  signal?: AbortSignal;
}

/** What {@link openImageMounts} needs. */
export interface ImageMountsOptions {
  /** The folder; created when something is mounted. */
  root: string;
  mounter: Mounter;
  clock: Pick<Clock, 'setTimeout'>;
}

const keyPattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
const recordFile = 'mount.json';
/** A signal for one call: Node warns of a leak if a dozen programs have the same. */
const never = () => new AbortController().signal;

/** Reads the records, and removes what a killed process left without one. This process must be the only one that uses the folder. */
export async function openImageMounts({ root, mounter, clock }: ImageMountsOptions): Promise<ImageMounts> {
  // As in the mount table.
  const folder = await realpath(root).catch(() => root);
  const mounts = new Mounts(folder, limitedMounter(mounter, clock));
  await mounts.recover();
  return mounts;
}

class Mounts implements ImageMounts {
  readonly #root: string;
  readonly #mounter: Mounter;
  readonly #shifted: ShiftedTrees;
  readonly #meter = createVolumeMeter();
  readonly #inTurn = createKeyedTurns();
  readonly #records = new Map<string, MountRecord>();

  constructor(root: string, mounter: Mounter) {
    this.#root = root;
    this.#mounter = mounter;
    this.#shifted = createShiftedTrees(join(root, 'shifted'), mounter);
  }

  async recover(): Promise<void> {
    for (const key of (await unlessAbsent(readdir(join(this.#root, 'mounts')))) ?? []) {
      const record = await this.#read(key);
      if (record) this.#records.set(key, record);
      // A process may still use what is left: the next recovery removes it.
      else if (this.#mounter.canMount) await this.#discardLeft(key).catch(() => undefined);
    }
    if (this.#mounter.canMount) await this.#removeUnusedTrees().catch(() => undefined);
  }

  /** Undefined if it is missing or damaged. */
  async #read(key: string): Promise<MountRecord | undefined> {
    if (!(await isFolder(this.#placeOf(key)))) return undefined;
    const text = await unlessAbsent(readRegularFile(join(this.#placeOf(key), recordFile))).catch((error) => {
      if (errorCode(error) !== apiErrorCodes.notRegularFile) throw error;
    });
    return text === undefined ? undefined : decodeMountRecord(text);
  }

  async mount({ image, folders }: MountedTree, options: MountOptions): Promise<ImageMount> {
    const { key, signal = never() } = options;
    const record = await recordOf({ ...(image !== undefined && { image }), folders }, options);
    await this.#inTurn(key, signal, async () => {
      const known = this.#records.get(key);
      if (known === undefined) await this.#mountNew(key, record, signal);
      else if (equalJson(withoutTree(known), withoutTree(record))) await this.#complete(key, known, await this.#mounter.list(), signal);
      else throw failed(imageStoreErrorCodes.mountConflict, `the mount ${key} exists, of something else`);
    });
    return this.#describe(key, true);
  }

  async unmount(key: string, { isLazy = false, signal = never() }: UnmountOptions = {}): Promise<void> {
    await this.#inTurn(key, signal, () => this.#unmount(key, isLazy, signal));
  }

  async removeMount(key: string, { isLazy = false, signal = never() }: UnmountOptions = {}): Promise<void> {
    requireKey(key);
    await this.#inTurn(key, signal, async () => {
      await this.#unmount(key, isLazy, signal);
      await this.#discard(key);
      await this.#removeUnusedTrees();
    });
  }

  async listMounts(): Promise<ImageMount[]> {
    const table = await this.#mounter.list();
    const isMounted = (key: string) => table.some(({ mountPoint }) => mountPoint === rootOf(this.#placeOf(key)));
    return Promise.all([...this.#records.keys()].map((key) => this.#describe(key, isMounted(key))));
  }

  async snapshotUsage(key: string, signal: AbortSignal): Promise<VolumeUsage> {
    if (this.#records.get(key)?.isWritable !== true) throw failed(imageStoreErrorCodes.unknownMount, `no writable mount ${quoteText(key)}`);
    return this.#meter.folder(join(this.#placeOf(key), 'upper'), signal);
  }

  foldersInUse(): Set<string> {
    return new Set([...this.#records.values()].flatMap(({ folders }) => folders));
  }

  #placeOf(key: string): string {
    return join(this.#root, 'mounts', key);
  }

  async #mountNew(key: string, record: MountRecord, signal: AbortSignal): Promise<void> {
    const place = this.#placeOf(key);
    await mkdir(join(this.#root, 'mounts'), { recursive: true, mode: 0o711 });
    if (record.isWritable) await this.#requireUpper();
    await this.#discardLeft(key);
    // The root user of a user namespace must reach the tree; others on the machine must not reach programs of the image that run with its rights.
    await mkdir(place, { mode: 0o710 });
    if (record.idMappings) await chown(place, 0, hostId(record.idMappings.gids, 0) ?? 0);
    try {
      await this.#write(key, record);
      await this.#complete(key, record, [], signal);
    } catch (error) {
      await this.#unmount(key, false, never())
        .then(() => this.#discard(key))
        .then(() => this.#removeUnusedTrees())
        .catch(() => undefined);
      throw error;
    }
  }

  async #write(key: string, record: MountRecord): Promise<void> {
    this.#records.set(key, record);
    await replaceFile(join(this.#placeOf(key), recordFile), encodeMountRecord(record));
  }

  async #requireUpper(): Promise<void> {
    const name = unsuitableForUpper((await statfs(this.#root)).type);
    if (name === undefined) return;
    throw new NodeAgentError(imageStoreErrorCodes.unsuitableFileSystem, `${this.#root} is on ${name}, which cannot have writable layers`, {
      hint: 'Set a folder on a local disk for the store; in a container, one in a volume.',
      details: { path: this.#root },
    });
  }

  /** Mounts what is not in the table. */
  async #complete(key: string, record: MountRecord, table: readonly MountInfo[], signal: AbortSignal): Promise<void> {
    const tree = rootOf(this.#placeOf(key));
    const isMounted = (target: string) => table.some(({ mountPoint, source }) => mountPoint === target && source === this.#placeOf(key));
    if (!isMounted(tree)) await this.#mountTree(key, record, signal);
    const { target, subPath = '' } = record;
    const path = await imagePath(tree, subPath);
    if (target === undefined || isMounted(target)) return;
    const handle = await safeOpen(path, tree);
    try {
      const [shown, below] = [await handle.stat(), await lstat(target)];
      if (shown.isDirectory() !== below.isDirectory() || below.isSymbolicLink())
        throw failed(imageStoreErrorCodes.invalidTarget, `cannot mount at ${target}: it is no ${shown.isDirectory() ? 'folder' : 'file'}`);
      const place = handlePath(handle.fd).replace('self', String(process.pid));
      await this.#mounter.mount({ source: place, target, options: ['bind', 'ro'], flags: ['--no-canonicalize'] }, signal);
    } finally {
      await handle.close();
    }
  }

  async #mountTree(key: string, record: MountRecord, signal: AbortSignal): Promise<void> {
    const { folders, idMappings, isWritable, target, selinuxContext } = record;
    // The flags are those of the overlay: between the two calls of a bind mount, it has only these.
    const rest = { isWritable, isPublic: target !== undefined, ...(selinuxContext !== undefined && { selinuxContext }) };
    const place = this.#placeOf(key);
    if (idMappings === undefined) {
      await mountOverlay(this.#mounter, place, { ...rest, folders }, signal);
      return;
    }
    if (record.shiftedTree === undefined && (await mountOverlay(this.#mounter, place, { ...rest, folders, idMappings }, signal))) return;
    if (record.image === undefined) {
      throw new NodeAgentError(imageStoreErrorCodes.ownersNotShifted, 'folders of the machine need idmapped mounts for a user namespace', {
        hint: 'Install util-linux 2.39 or later, or Perl; the kernel and the file system must support idmapped mounts.',
      });
    }
    await this.#write(key, { ...record, shiftedTree: this.#shifted.nameOf(folders, idMappings) });
    const shifted = await this.#shifted.prepare(folders, idMappings, signal);
    await mountOverlay(this.#mounter, place, { ...rest, folders: [shifted, ...folders], isMetadataOnly: true }, signal);
  }

  async #unmount(key: string, isLazy: boolean, signal: AbortSignal): Promise<void> {
    const place = this.#placeOf(key);
    const target = this.#records.get(key)?.target;
    const isOurs = (mount: MountInfo) => isMountWithin(mount, place) || (mount.source === place && mount.mountPoint === target);
    await unmountAll(this.#mounter, isOurs, { isLazy, signal });
  }

  /** Removes the record, then the folder, in which nothing is mounted. */
  async #discard(key: string): Promise<void> {
    const place = this.#placeOf(key);
    if (await isFolder(place)) await removeTree(join(place, recordFile));
    this.#records.delete(key);
    await removeTree(place);
  }

  /** What a killed process left without a record. */
  async #discardLeft(key: string): Promise<void> {
    await unmountBelow(this.#mounter, this.#placeOf(key), never());
    await this.#discard(key);
  }

  #removeUnusedTrees(): Promise<void> {
    return this.#shifted.removeUnused((name) => [...this.#records.values()].some(({ shiftedTree }) => shiftedTree === name));
  }

  async #describe(key: string, isMounted: boolean): Promise<ImageMount> {
    const record = this.#records.get(key);
    if (record === undefined) throw failed(imageStoreErrorCodes.unknownMount, `no mount ${quoteText(key)}`);
    const { image, isWritable, target, subPath } = record;
    const tree = rootOf(this.#placeOf(key));
    return {
      key,
      path: target ?? (subPath === undefined ? tree : await pathIn(tree, subPath)),
      ...(image !== undefined && { image }),
      isWritable,
      isMounted,
      ...(target !== undefined && { target }),
    };
  }
}

async function recordOf({ image, folders }: MountedTree, options: MountOptions): Promise<MountRecord> {
  const { key, isWritable = false, target, subPath, idMappings, selinuxContext } = options;
  requireKey(key);
  const invalid = (field: string, rule: string) => failed(imageStoreErrorCodes.invalidOption, `${field} ${rule}`, { field });
  if (folders.length === 0 || folders.length > maxOverlayFolders - 1 || !folders.every(isAbsolute))
    throw invalid('folders', `must be 1 to ${maxOverlayFolders - 1} absolute paths`);
  if (target !== undefined && !isAbsolute(target)) throw invalid('target', 'must be an absolute path');
  if (isWritable && (subPath !== undefined || target !== undefined)) throw invalid('isWritable', 'excludes subPath and target');
  if (selinuxContext !== undefined && !isSelinuxContext(selinuxContext)) throw invalid('selinuxContext', 'must be a label');
  if (idMappings !== undefined) requireIdMappings(idMappings);
  return {
    ...(image !== undefined && { image }),
    folders: [...folders],
    isWritable,
    ...(target !== undefined && { target: await mountPathOf(target) }),
    ...(subPath !== undefined && { subPath }),
    ...(idMappings !== undefined && { idMappings }),
    ...(selinuxContext !== undefined && { selinuxContext }),
  };
}

/** The tree of an image does not change meanwhile. */
const imagePath = (tree: string, subPath: string) =>
  pathInRoot(tree, subPath).catch((cause) => {
    throw new NodeAgentError(imageStoreErrorCodes.invalidSubPath, `the image has no path ${quoteText(subPath)}: ${errorMessage(cause)}`, {
      details: { path: subPath },
      cause,
    });
  });

const isFolder = async (path: string) => (await unlessAbsent(lstat(path)))?.isDirectory() === true;

/** Also of a tree that is not mounted. */
const pathIn = (tree: string, subPath: string) => imagePath(tree, subPath).catch(() => join(tree, join('/', subPath)));

const withoutTree = ({ shiftedTree, ...record }: MountRecord) => record;

function requireKey(key: string): void {
  if (!keyPattern.test(key))
    throw failed(imageStoreErrorCodes.invalidOption, `key must match ${keyPattern.source}, got ${quoteText(key)}`, { field: 'key' });
}

const failed = (code: string, message: string, details?: Record<string, unknown>) =>
  new NodeAgentError(code, message, details === undefined ? {} : { details });
