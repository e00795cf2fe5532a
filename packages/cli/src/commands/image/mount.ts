import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { NodeAgentError } from '@nodeagent/api';
import type { OciImageStore } from '@nodeagent/image-store';
import type { Command } from '../../command.js';
import type { Console } from '../../console.js';
import { badUsage, describeFlags, type Flag, helpFlag, readArguments, text } from '../../flags.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';
import { interruptible } from './interruptible.js';
import { imageArgumentHelp } from './list.js';
import { namedImage, rootFlag, withStore } from './store-flags.js';

type Context = Pick<Console, 'env' | 'isRoot'>;

const mountFlags = (console: Context): Flag[] => [
  { name: 'sub-path', value: 'PATH', defaultText: 'the whole image', help: 'file or folder of the image to mount.' },
  rootFlag(console),
  helpFlag,
];

const mountHelp = (
  console: Context,
) => `Mounts the files of an image read-only at a folder, after it has unpacked them. Without arguments it lists the mounts. Requires root.

usage: nodeagent image mount [IMAGE DIR] [flags]

${describeFlags(mountFlags(console))}

${imageArgumentHelp} The mount ends with "nodeagent image unmount DIR", or with the next start of the machine. An image that is mounted can
be removed; its files stay until then.

Exit codes: 0 success, 1 failure, 2 invalid flags, 130 interrupted.
`;

export const mountCommand: Command = { flags: mountFlags, help: mountHelp, firstWord: 'image', run: mount };

async function mount(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = readArguments(mountFlags(console), args, 2);
  const [image, folder] = words;
  if (image === undefined) return withStore(values, (store) => listMounts(store, console));
  if (folder === undefined) throw badUsage('image mount: IMAGE and DIR are required');
  const target = await existing(folder);
  return interruptible(console, 'interrupted', (signal) =>
    withStore(values, async (store) => {
      await store.mount(namedImage(store, image).id, {
        key: keyOf(target),
        target,
        ...(values['sub-path'] !== undefined && { subPath: text(values, 'sub-path') }),
        signal,
      });
    }),
  );
}

/** Mounts of containers, which have no folder of this command, are listed by their path. */
async function listMounts(store: OciImageStore, { stdout }: Console): Promise<number> {
  const rows = (await store.listMounts()).map(({ target, image, isMounted, path }) => [
    printable(target ?? path),
    printable((image && store.get(image)?.repoTags[0]) ?? image ?? '<folders>'),
    isMounted ? 'mounted' : 'unmounted',
  ]);
  stdout.write(`${alignColumns([['DIR', 'IMAGE', 'STATE'], ...rows]).join('\n')}\n`);
  return 0;
}

const unmountFlags = (console: Context): Flag[] => [
  { name: 'lazy', short: 'l', defaultText: 'off', help: 'detach the mount although processes use it; they keep it until they end.' },
  rootFlag(console),
  helpFlag,
];

const unmountHelp = (console: Context) => `Unmounts an image that "nodeagent image mount" has mounted. Requires root.

usage: nodeagent image unmount DIR [flags]

${describeFlags(unmountFlags(console))}

Exit codes: 0 success, 1 failure, 2 invalid flags.
`;

export const unmountCommand: Command = { flags: unmountFlags, help: unmountHelp, run: unmount };

async function unmount(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = readArguments(unmountFlags(console), args, 1);
  const [folder] = words;
  if (folder === undefined) throw badUsage('image unmount: DIR is required');
  const target = await existing(folder);
  await withStore(values, async (store) => {
    const found = (await store.listMounts()).find((each) => each.target === target && each.key === keyOf(target));
    if (found === undefined) {
      throw new NodeAgentError('NOT_MOUNTED', `no image is mounted at ${target}`, { hint: '"nodeagent image mount" lists the mounts' });
    }
    await store.removeMount(found.key, { isLazy: values.lazy === true });
  });
  return 0;
}

/** The folder's path as in the mount table. */
async function existing(folder: string): Promise<string> {
  const path = resolve(folder);
  return realpath(path).catch((cause: unknown) => {
    throw new NodeAgentError('FOLDER_NOT_FOUND', `the folder ${path} cannot be used`, { cause, hint: `create it: "mkdir -p ${path}"` });
  });
}

/** The name of the mount at a folder. */
const keyOf = (target: string) => `folder-${createHash('sha256').update(target).digest('hex').slice(0, 16)}`;
