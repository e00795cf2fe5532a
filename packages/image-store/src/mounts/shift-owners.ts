import { runInThread, walkTreeInThread } from '@nodeagent/api/files';
import { hostId, type IdMappings } from './id-mapping.js';

/**
 * Gives every file of a tree, which nothing else may use meanwhile, the owner on the machine that its owner in the container has. A file keeps its mode and
 * times, and loses its capabilities. Resolves to the paths of the executable files: only these can have any.
 */
export async function shiftOwners(tree: string, mappings: IdMappings, signal: AbortSignal): Promise<string[]> {
  return runInThread<string[]>(program(), { tree, mappings }, signal);
}

// Compilers that keep the names of functions call `__name`.
const program = () => `
  const { parentPort, workerData } = require('node:worker_threads');
  const fs = require('node:fs');
  const __name = (named) => named;
  const hostId = ${hostId};
  const executables = [];
  const visit = (${createVisit})(fs, hostId, workerData.mappings, executables);
  ${walkTreeInThread()}(workerData.tree, visit).then(() => parentPort.postMessage(executables));
`;

/** Threads run it from its text: it refers to nothing outside of itself. */
function createVisit(
  { lstatSync, lchownSync, chmodSync, readlinkSync }: typeof import('node:fs'),
  shifted: typeof hostId,
  { uids, gids }: IdMappings,
  executables: string[],
) {
  const [executableBits, modeBits] = [0o111, 0o7777];
  return ({ place }: { place: string }): void => {
    const facts = lstatSync(place);
    const [uid, gid] = [shifted(uids, facts.uid) ?? facts.uid, shifted(gids, facts.gid) ?? facts.gid];
    if (uid !== facts.uid || gid !== facts.gid) lchownSync(place, uid, gid);
    if (!facts.isFile()) return;
    // A new owner clears the bits that give a program the rights of its owner or group.
    if ((facts.mode & 0o6000) !== 0) chmodSync(place, facts.mode & modeBits);
    if ((facts.mode & executableBits) === 0) return;
    const end = place.lastIndexOf('/');
    executables.push(`${readlinkSync(place.slice(0, end))}${place.slice(end)}`);
  };
}
