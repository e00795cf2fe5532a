import { readFile } from 'node:fs/promises';
import type { ImageStoreReader, StoredImage } from '@nodeagent/image-store';
import { formatBytes } from '@nodeagent/pod-view/resources';
import type { Command } from '../../command.js';
import type { Console } from '../../console.js';
import { describeFlags, type Flag, helpFlag, oneOf, outputFlag, outputForms, readArguments, readFlags } from '../../flags.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable, printableJson } from '../../terminal/printable.js';
import { shorten } from '../../terminal/table.js';
import { namedImage, readStore, requireImages, rootFlag, shortIdLength } from './store-flags.js';

type Context = Pick<Console, 'env' | 'isRoot'>;

const listFlags = (console: Context): Flag[] => [
  rootFlag(console),
  { ...outputFlag, help: '"text", or "json" for all about each image.' },
  { name: 'quiet', short: 'q', defaultText: 'off', help: 'print the ids only.' },
  helpFlag,
];

const listHelp = (console: Context) => `Lists the images, with a row for each name. Works also while an agent has the store.

usage: nodeagent image list [flags]

${describeFlags(listFlags(console))}

Exit codes: 0 success, 1 failure, 2 invalid flags.
`;

export const listCommand: Command = { flags: listFlags, help: listHelp, run: list };

async function list(args: readonly string[], console: Console): Promise<number> {
  const values = readFlags(listFlags(console), args);
  const output = oneOf(values, 'output', outputForms);
  const images = (await readStore(values)).list();
  console.stdout.write(output === 'json' ? `${printableJson(images, 2)}\n` : linesOf(images, values.quiet === true, console));
  return 0;
}

function linesOf(images: readonly StoredImage[], isQuiet: boolean, { stdout }: Console): string {
  const width = (stdout.isTTY && stdout.columns) || Number.POSITIVE_INFINITY;
  const lines = isQuiet ? images.map(({ id }) => id) : alignColumns(imageRows(images)).map((line) => shorten(line, width));
  return lines.map((line) => `${line}\n`).join('');
}

/** The rows of the table: a row for each tag, else for the digest. */
function imageRows(images: readonly StoredImage[]): string[][] {
  const rows = images.flatMap((image) => {
    const { id, platform, size } = image;
    const { os, architecture, variant } = platform;
    const cells = [shortId(id), [os, architecture, variant].filter(Boolean).join('/'), formatBytes(size)];
    return namesOf(image).map((name) => [...name, ...cells].map(printable));
  });
  return [['REPOSITORY', 'TAG', 'IMAGE ID', 'PLATFORM', 'SIZE'], ...rows.sort((a, b) => (a.join(' ') < b.join(' ') ? -1 : 1))];
}

function namesOf({ repoTags, repoDigests }: StoredImage): [repository: string, tag: string][] {
  if (repoTags.length === 0) return [[repoDigests[0]?.split('@')[0] ?? '<none>', '<none>']];
  return repoTags.map((name) => {
    const colon = name.lastIndexOf(':');
    return [name.slice(0, colon), name.slice(colon + 1)];
  });
}

const shortId = (id: string) => id.replace(/^sha256:/, '').slice(0, shortIdLength);

const inspectFlags = (console: Context): Flag[] => [rootFlag(console), helpFlag];

const inspectHelp = (
  console: Context,
) => `Prints all about images as a list in JSON: names, digests, platform, layers and the image configuration of the OCI
specification. Works also while an agent has the store.

usage: nodeagent image inspect IMAGE... [flags]

${describeFlags(inspectFlags(console))}

${imageArgumentHelp}

Exit codes: 0 success, 1 no such image, 2 invalid flags.
`;

/** Help text for the IMAGE argument. */
export const imageArgumentHelp = 'IMAGE is a name such as nginx:1, an id, or the beginning of one.';

export const inspectCommand: Command = { flags: inspectFlags, help: inspectHelp, firstWord: 'image', run: inspect };

async function inspect(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = readArguments(inspectFlags(console), args, Number.POSITIVE_INFINITY);
  requireImages('inspect', words);
  const store = await readStore(values);
  const images = words.map((word) => namedImage(store, word));
  console.stdout.write(`${printableJson(await Promise.all(images.map((image) => described(store, image))), 2)}\n`);
  return 0;
}

/** The image with its configuration. */
async function described(store: ImageStoreReader, image: StoredImage) {
  const { diffIds, layers, config, ...rest } = image;
  return {
    ...rest,
    layers: layers.map((layer, index) => ({ ...layer, diffId: diffIds[index] })),
    config: JSON.parse(await readFile(store.blobPath(config.digest), 'utf8')) as unknown,
  };
}
