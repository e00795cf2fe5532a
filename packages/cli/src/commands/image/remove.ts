import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { formatBytes } from '@nodeagent/pod-view/resources';
import type { Command } from '../../command.js';
import type { Console } from '../../console.js';
import { badUsage, describeFlags, type Flag, helpFlag, readArguments, readFlags } from '../../flags.js';
import { printable } from '../../terminal/printable.js';
import { imageArgumentHelp } from './list.js';
import { namedImage, requireImages, rootFlag, withStore } from './store-flags.js';

type Context = Pick<Console, 'env' | 'isRoot'>;

const flags = (console: Context): Flag[] => [rootFlag(console), helpFlag];

const removeHelp = (
  console: Context,
) => `Removes images: a name, and with the last one or by an id the image and the content that no other image needs. The others
are removed also if one is missing.

usage: nodeagent image rm IMAGE... [flags]

${describeFlags(flags(console))}

${imageArgumentHelp}

Exit codes: 0 success, 1 an image is missing, 2 invalid flags.
`;

export const removeCommand: Command = { flags, help: removeHelp, firstWord: 'image', run: remove };

async function remove(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = readArguments(flags(console), args, Number.POSITIVE_INFINITY);
  requireImages('rm', words);
  const failures = await withStore(values, async (store) => {
    const failures: string[] = [];
    for (const word of words) {
      try {
        const { id } = namedImage(store, word);
        await store.remove(store.get(word) === undefined ? id : word);
        console.stdout.write(`removed ${printable(word)}\n`);
      } catch (error) {
        failures.push(errorMessage(error));
      }
    }
    return failures;
  });
  if (failures.length === 0) return 0;
  throw new NodeAgentError('IMAGES_NOT_REMOVED', failures.join('\n'), { hint: '"nodeagent image list" lists the images' });
}

const tagHelp = (console: Context) => `Gives an image another name.

usage: nodeagent image tag IMAGE NAME [flags]

${describeFlags(flags(console))}

${imageArgumentHelp}

Exit codes: 0 success, 1 no such image, or an invalid name, 2 invalid flags.
`;

export const tagCommand: Command = { flags, help: tagHelp, firstWord: 'image', run: tag };

async function tag(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = readArguments(flags(console), args, 2);
  const [wanted, name] = words;
  if (wanted === undefined || name === undefined) throw badUsage('image tag: IMAGE and NAME are required');
  await withStore(values, (store) => store.tag(namedImage(store, wanted).id, name));
  return 0;
}

const pruneHelp = (console: Context) => `Removes content that no image needs, such as that of pulls that failed or were interrupted.

usage: nodeagent image prune [flags]

${describeFlags(flags(console))}

Exit codes: 0 success, 1 failure, 2 invalid flags.
`;

export const pruneCommand: Command = { flags, help: pruneHelp, run: prune };

async function prune(args: readonly string[], console: Console): Promise<number> {
  const freed = await withStore(readFlags(flags(console), args), (store) => store.collectGarbage());
  console.stdout.write(`removed ${formatBytes(freed)}\n`);
  return 0;
}
