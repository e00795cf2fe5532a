import { closeSync, constants, type Dir, fstatSync, opendirSync, open as openFile, openSync, readFileSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { FileCall } from './file-call.js';
import { pathOnly } from './file-handles.js';
import type { WalkTree } from './tree-entry.js';
import { createTreeWalk, treeWalkProgram } from './tree-walk.js';

const folderFlags = pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW;

const open = promisify(openFile);

/**
 * Visits all entries of a tree that others may change meanwhile, such as a volume: the content of a folder before the folder, the root last. Follows
 * no link, enters no other mount, and has no limit of depth or path length: it keeps up to 33 folders open. Entries that vanish are left out. Rejects
 * with the first error, which names the entry's path; with ENOENT if the root is missing, and with ESTALE if a folder moves while the walk is in it.
 */
export const walkTree: WalkTree = createTreeWalk({
  handles: '/proc/self/fd',
  open: (place) => open(place, folderFlags),
  list: opendir,
  read: (listing) => listing.read(),
  closeSync,
  fstatSync,
  readFileSync,
});

/** A {@link walkTree} whose calls are made by `call`. */
export const createWalkBy = (call: FileCall): WalkTree =>
  createTreeWalk({
    handles: '/proc/self/fd',
    open: (place) =>
      call(
        () => openSync(place, folderFlags),
        () => open(place, folderFlags),
      ),
    list: (path) =>
      call(
        () => opendirSync(path),
        () => opendir(path),
      ),
    read: (listing: Dir) =>
      call(
        () => listing.readSync(),
        () => listing.read(),
      ),
    closeSync,
    fstatSync,
    readFileSync,
  });

/**
 * An expression for the program of a worker thread, whose value is a {@link walkTree} with synchronous calls: these take a tenth of the CPU, and a
 * thread may wait for a disk.
 */
export const walkTreeInThread = () => `(() => {
  const { openSync, opendirSync, closeSync, fstatSync, readFileSync, readlinkSync } = require('node:fs');
  return ${treeWalkProgram()}({
    handles: '/proc/' + readlinkSync('/proc/self') + '/fd',
    open: (place) => openSync(place, ${folderFlags}),
    list: (path) => opendirSync(path, { bufferSize: 256 }),
    read: (listing) => listing.readSync(),
    closeSync,
    fstatSync,
    readFileSync,
  });
})()`;
