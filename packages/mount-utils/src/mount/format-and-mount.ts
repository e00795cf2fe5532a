import { type Mounter, type MountRequest, NodeAgentError } from '@nodeagent/api';
import { mountUtilsErrorCodes } from '../errors.js';
import { mountFailed, requireOperands } from './node-mounter.js';

/** Exit codes: blkid(8) found no file system; fsck(8) corrected errors. */
const nothingFound = 2;
const errorsCorrected = 1;

/** The type is part of the name of mkfs: with a slash it would name a program of another folder. */
function requireName(fsType: string): void {
  if (!fsType.includes('/')) return;
  throw new NodeAgentError(mountUtilsErrorCodes.mountFailed, `"${fsType}" is not the name of a file system type`);
}

/**
 * Mounts a device. Formats it first if it has no file system; otherwise checks the file system unless the mount is read-only. Never formats a
 * device with content. Rejects with `MountFailed`.
 */
export async function formatAndMount(mounter: Mounter, request: MountRequest, signal?: AbortSignal): Promise<void> {
  const { source, fsType = 'ext4', options = [] } = request;
  const readOnly = options.includes('ro');
  requireOperands(source);
  requireName(fsType);
  const probe = await mounter.run('blkid', ['-p', '-s', 'TYPE', '-s', 'PTTYPE', '-o', 'export', source], signal);
  if (probe.exitCode === nothingFound) {
    if (readOnly) throw mountFailed(`cannot mount unformatted disk ${source} as we are manipulating it in read-only mode`, probe);
    const flags = fsType === 'xfs' ? ['-f'] : fsType.startsWith('ext') ? ['-F', '-m0'] : [];
    const made = await mounter.run(`mkfs.${fsType}`, [...flags, source], signal);
    if (made.exitCode !== 0) throw mountFailed(`format of disk ${source} (${fsType})`, made);
  } else if (probe.exitCode !== 0) {
    throw mountFailed(`blkid ${source}`, probe);
  } else if (!readOnly) {
    const checked = await mounter.run('fsck', ['-a', source], signal);
    if (checked.exitCode > errorsCorrected)
      throw mountFailed(`'fsck' found errors on device ${source} but could not correct them`, checked);
  }
  await mounter.mount({ ...request, fsType, options: [...options, 'defaults'] }, signal);
}
