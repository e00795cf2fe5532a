import { nearestName } from '@nodeagent/api/helpers';
import type { Command } from '../../command.js';
import { badUsage, describeFlags, helpFlag, readArguments } from '../../flags.js';
import { exportCommand, importCommand } from './archives.js';
import { inspectCommand, listCommand } from './list.js';
import { mountCommand, unmountCommand } from './mount.js';
import { pullCommand } from './pull.js';
import { pruneCommand, removeCommand, tagCommand } from './remove.js';

/** The actions, in the order of the help. */
const actions = {
  pull: { command: pullCommand, summary: 'download an image from its registry' },
  list: { command: listCommand, summary: 'list the images' },
  inspect: { command: inspectCommand, summary: 'print all about images as JSON: configuration, layers, digests, platform' },
  tag: { command: tagCommand, summary: 'give an image another name' },
  rm: { command: removeCommand, summary: 'remove images, and the content that no other image needs' },
  prune: { command: pruneCommand, summary: 'remove content that no image needs, such as that of interrupted pulls' },
  mount: { command: mountCommand, summary: 'mount the files of an image at a folder, or list the mounts' },
  unmount: { command: unmountCommand, summary: 'unmount an image' },
  import: { command: importCommand, summary: 'add the images of an archive: an OCI image layout, or of "docker save"' },
  export: { command: exportCommand, summary: 'write images to an archive, which "docker load" reads too' },
};
const names = Object.keys(actions) as (keyof typeof actions)[];
const width = Math.max(...names.map(({ length }) => length));

export function imageHelp(): string {
  return `Pulls images from registries and stores them on this machine, without a daemon.

usage: nodeagent image ACTION [flags]

${names.map((name) => `  ${name.padEnd(width)}  ${actions[name].summary}`).join('\n')}

"nodeagent image ACTION --help" explains an action.

${describeFlags([helpFlag])}

Exit codes: 0 success, 1 failure, 2 invalid flags, 130 interrupted.
`;
}

export const imageCommand: Command = {
  flags: () => [helpFlag],
  help: imageHelp,
  actions: Object.fromEntries(names.map((name) => [name, actions[name].command])),
  firstWord: names,
  run: image,
};

/** `nodeagent image` without a known action. */
async function image(args: readonly string[]): Promise<number> {
  const [wanted = ''] = args;
  if (wanted === '' || wanted.startsWith('-')) {
    readArguments([helpFlag], args, Number.POSITIVE_INFINITY);
    throw badUsage(`image: an action is required first: ${names.join(', ')}`);
  }
  const near = nearestName(wanted, names);
  throw badUsage(`image: unknown action "${wanted}"${near ? `; did you mean "${near}"?` : ''}`);
}
