import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Command } from '../../command.js';
import type { Console } from '../../console.js';
import { badUsage, describeFlags, type Flag, helpFlag, readArguments, text } from '../../flags.js';
import { printable } from '../../terminal/printable.js';
import { writeAll } from '../../terminal/write-all.js';
import { interruptible } from './interruptible.js';
import { imageArgumentHelp } from './list.js';
import { namedImage, readStore, requireImages, rootFlag, withStore } from './store-flags.js';

type Context = Pick<Console, 'env' | 'isRoot'>;

const importFlags = (console: Context): Flag[] => [rootFlag(console), helpFlag];

const importHelp = (
  console: Context,
) => `Adds the images of an archive: a tar file with an OCI image layout, or of "docker save", also compressed with gzip.
Prints the names and the id of each image.

usage: nodeagent image import FILE|- [flags]

${describeFlags(importFlags(console))}

Exit codes: 0 success, 1 failure, 2 invalid flags, 130 interrupted.
`;

export const importCommand: Command = { flags: importFlags, help: importHelp, run: importArchive };

async function importArchive(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = readArguments(importFlags(console), args, 1);
  const [file] = words;
  if (file === undefined) throw badUsage('image import: FILE is required, or - for stdin');
  if (file === '-' && console.stdin.isTTY === true) throw badUsage('image import: stdin is a terminal; give a file, or a pipe');
  return interruptible(console, 'interrupted', async (signal) => {
    const images = await withStore(values, (store) => {
      const archive: Readable = file === '-' ? console.stdin : createReadStream(resolve(file));
      return store.import(addAbortSignal(signal, archive));
    });
    for (const { repoTags, id } of images) console.stdout.write(`${printable([...repoTags, id].join(' '))}\n`);
  });
}

const exportFlags = (console: Context): Flag[] => [
  { name: 'output', short: 'o', value: 'FILE', default: '-', help: 'file of the archive; - is stdout, which must not be a terminal.' },
  rootFlag(console),
  helpFlag,
];

const exportHelp = (
  console: Context,
) => `Writes images to a tar archive that is an OCI image layout, and which "docker load" reads too. Works also while an agent
has the store.

usage: nodeagent image export IMAGE... -o FILE [flags]

${describeFlags(exportFlags(console))}

${imageArgumentHelp}

Exit codes: 0 success, 1 failure, 2 invalid flags, 130 interrupted.
`;

export const exportCommand: Command = { flags: exportFlags, help: exportHelp, firstWord: 'image', run: exportArchive };

async function exportArchive(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = readArguments(exportFlags(console), args, Number.POSITIVE_INFINITY);
  requireImages('export', words);
  const output = text(values, 'output');
  if (output === '-' && console.stdout.isTTY === true) throw badUsage('--output: stdout is a terminal; set a file, or use a pipe');
  const store = await readStore(values);
  const images = words.map((word) => (store.get(word) === undefined ? namedImage(store, word).id : word));
  return interruptible(console, 'interrupted', async (signal) => {
    const chunks = until(signal, store.export(images));
    await (output === '-' ? writeAll(chunks, console.stdout) : writeFile(resolve(output), chunks));
  });
}

async function* until(signal: AbortSignal, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/** Writes a file that has its name once it is complete; into a device or a pipe it writes at once. */
async function writeFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const isSpecial = await stat(path).then(
    (found) => !found.isFile(),
    () => false,
  );
  const written = isSpecial ? path : `${path}.${process.pid}.partial`;
  if (!isSpecial) await rm(written, { force: true });
  // Another user may have put a link there, in a folder such as /tmp.
  const file = await open(written, isSpecial ? 'w' : 'wx');
  try {
    for await (const chunk of chunks) await file.appendFile(chunk);
    if (!isSpecial) await rename(written, path);
  } catch (error) {
    if (!isSpecial) await rm(written, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
