import { type Mounter, NodeAgentError } from '@nodeagent/api';
import { mountUtilsErrorCodes } from '../errors.js';
import { mountFailed } from './node-mounter.js';

/** Grows the file system of a device to the device's size. Does nothing for a device without a file system. Rejects with `MountFailed`. */
export async function resizeFileSystem(
  mounter: Pick<Mounter, 'run'>,
  device: string,
  mountPath: string,
  signal: AbortSignal,
): Promise<void> {
  const probe = await mounter.run('blkid', ['-p', '-s', 'TYPE', '-o', 'value', device], signal);
  const format = probe.stdout.trim();
  if (format === '') return;
  const [command, ...args] = resizeCommand(format, device, mountPath);
  const resized = await mounter.run(command, args, signal);
  if (resized.exitCode !== 0) throw mountFailed(`resize of device ${device} (${format})`, resized);
}

/** The command that grows a file system of this format. Throws `UnsupportedVolume` for other formats. */
export function resizeCommand(format: string, device: string, mountPath: string): [string, ...string[]] {
  switch (format) {
    case 'ext3':
    case 'ext4':
      return ['resize2fs', device];
    case 'xfs':
      return ['xfs_growfs', '-d', mountPath];
    case 'btrfs':
      return ['btrfs', 'filesystem', 'resize', 'max', mountPath];
    default:
      throw new NodeAgentError(
        mountUtilsErrorCodes.unsupportedVolume,
        `resize of format ${format} is not supported for device ${device} mounted at ${mountPath}`,
      );
  }
}
