import { join } from 'node:path';
import { type Mounter, NodeAgentError } from '@nodeagent/api';
import { imageStoreErrorCodes } from '../errors.js';

/** Bytes of the arguments of one call, of which Linux accepts 2 MiB. */
const maxArgumentBytes = 100_000;

/**
 * Copies the capabilities of files from one tree to an equal one. Node cannot read them. GNU tar can: it reads no content of files that it writes to
 * `/dev/null`, and its listing marks those that have the attribute.
 * @param paths - relative to both trees, of files that are no links
 */
export async function copyFileCapabilities(
  { run }: Pick<Mounter, 'run'>,
  from: string,
  to: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const part of partsOf(paths)) {
    for (const path of await withCapabilities(run, from, part, signal)) {
      const args = ['--attributes-only', '--preserve=xattr,timestamps', '--', join(from, path), join(to, path)];
      const { exitCode, stderr } = await run('cp', args, signal);
      if (exitCode !== 0) throw failed(stderr);
    }
  }
}

const listing = ['--create', '--file=/dev/null', '-vv', '--no-recursion', '--hard-dereference', '--xattrs'];
const markPosition = 'drwxr-xr-x'.length;

async function withCapabilities(run: Mounter['run'], tree: string, paths: readonly string[], signal: AbortSignal): Promise<string[]> {
  const names = paths.map((path) => `./${path}`);
  const args = [...listing, '--xattrs-include=security.capability', `--directory=${tree}`, '--', ...names];
  const { exitCode, stdout, stderr } = await run('tar', args, signal);
  const lines = stdout.split('\n').slice(0, -1);
  if (exitCode !== 0 || lines.length !== paths.length) throw failed(stderr);
  return paths.filter((_, index) => lines[index]?.[markPosition] === '*');
}

function partsOf(paths: readonly string[]): string[][] {
  const parts: string[][] = [];
  let left = 0;
  for (const path of paths) {
    const size = Buffer.byteLength(path) + 3;
    if (size > left) {
      parts.push([]);
      left = maxArgumentBytes;
    }
    left -= size;
    parts.at(-1)?.push(path);
  }
  return parts;
}

const failed = (output: string) =>
  new NodeAgentError(imageStoreErrorCodes.ownersNotShifted, `cannot keep the capabilities of files: ${output.trim()}`, {
    hint: 'Install GNU tar and coreutils, or util-linux 2.39 or later on a kernel with idmapped mounts, which changes no owners.',
  });
