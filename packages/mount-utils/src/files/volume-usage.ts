import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileSystemUsage, type VolumeUsage } from '@nodeagent/api';
import { ignoreMissing } from './unless-missing.js';

/** Usage of a folder on a shared file system: used bytes and inodes are those of the folder's content. */
export async function folderUsage(path: string, signal: AbortSignal): Promise<VolumeUsage> {
  const { bytes, inodes } = await diskUsage(path, signal);
  return { ...(await fileSystemUsage(path)), usedBytes: bytes, inodesUsed: inodes };
}

const blockBytes = 512n;

/**
 * Bytes and inodes of a folder with its content, counted as du(1) does: a file with several hard links once, no other file systems,
 * no symbolic links followed. Files that are removed meanwhile are not counted.
 */
export async function diskUsage(root: string, signal: AbortSignal): Promise<{ bytes: bigint; inodes: bigint }> {
  const total = { bytes: 0n, inodes: 0n };
  const counted = new Set<bigint>();
  const { dev } = await lstat(root, { bigint: true });

  async function visit(path: string): Promise<void> {
    signal.throwIfAborted();
    const facts = await lstat(path, { bigint: true });
    if (facts.dev !== dev) return;
    if (facts.nlink > 1n && !facts.isDirectory()) {
      if (counted.has(facts.ino)) return;
      counted.add(facts.ino);
    }
    total.bytes += facts.blocks * blockBytes;
    total.inodes++;
    if (!facts.isDirectory()) return;
    for await (const { name } of await opendir(path)) await visit(join(path, name)).catch(ignoreMissing);
  }
  await visit(root);
  return total;
}
