import { errorCode, errorHint, NodeAgentError } from '@nodeagent/api';
import { parseImageName } from '@nodeagent/api/helpers';
import type { ImagePlatform, RegistryConfigPaths, StoredImage } from '@nodeagent/image-store';
import type { Command } from '../../command.js';
import type { Console } from '../../console.js';
import { errorText } from '../../error-text.js';
import { badUsage, describeFlags, type Flag, type FlagValues, helpFlag, readArguments, text } from '../../flags.js';
import { printable } from '../../terminal/printable.js';
import { interruptible } from './interruptible.js';
import { createPullView } from './pull-view.js';
import { registriesOf, registryFlags } from './registry-flags.js';
import { loginFlags, loginHelp, type RegistryLogin, registryLogin } from './registry-login.js';
import { openStore, rootFlag } from './store-flags.js';

type Context = Pick<Console, 'env' | 'isRoot'>;

const flags = (console: Context): Flag[] => [
  {
    name: 'platform',
    value: 'OS/ARCH',
    defaultText: 'this machine',
    help: 'image of an index to pull, such as linux/arm64 or linux/arm/v7.',
  },
  { name: 'unpack', defaultText: 'off', help: 'unpack the layers, as a mount of the image needs them; requires root and GNU tar.' },
  { name: 'quiet', short: 'q', defaultText: 'off', help: 'print the id only, and no progress.' },
  rootFlag(console),
  ...loginFlags,
  ...registryFlags,
  helpFlag,
];

const pullHelp = (
  console: Context,
) => `Downloads an image from its registry, and prints its id. Layers that are stored already are not downloaded again. On a
terminal stderr has a bar for each layer, else a line for each finished one.

usage: nodeagent image pull IMAGE [flags]

${describeFlags(flags(console))}

${loginHelp}

Ctrl-C ends the pull at once. What was downloaded is kept, and the next pull of the image continues there.

Exit codes: 0 success, 1 failure, 2 invalid flags, 130 interrupted.
`;

export const pullCommand: Command = { flags, help: pullHelp, run: pull };

/** `nodeagent image pull`: exit code 130 if it is interrupted. */
async function pull(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = readArguments(flags(console), args, 1);
  const [image] = words;
  if (image === undefined) throw badUsage('image pull: IMAGE is required');
  const { repository } = parseImageName(image);
  const platform = await platformOf(values);
  const login = await registryLogin(values, repository, console);
  const request = { image, registries: registriesOf(values), ...(platform && { platform }), ...(login && { login }) };
  return interruptible(console, interruptedNote, async (signal) => {
    const pulled = await download(request, values, signal, console).catch((error) => {
      throw pullFailure(error, image, login);
    });
    if (platform !== undefined) warnOfPlatform(pulled, platform, console);
    console.stdout.write(`${pulled.id}\n`);
  });
}

const interruptedNote = 'interrupted: what was downloaded is kept, and the next pull of the image continues there';

interface PullRequest {
  image: string;
  registries: RegistryConfigPaths;
  platform?: ImagePlatform;
  login?: RegistryLogin;
}

async function download(
  { image, registries, platform, login }: PullRequest,
  values: FlagValues,
  signal: AbortSignal,
  { stderr }: Console,
): Promise<StoredImage> {
  const store = await openStore(values, registries);
  const view = values.quiet === true ? undefined : createPullView(stderr);
  try {
    return await store.pull(image, {
      signal,
      unpack: values.unpack === true,
      ...(view && { onProgress: view.report }),
      ...(platform && { platform }),
      ...(login && { credentials: login.credentials }),
    });
  } finally {
    view?.close();
    await store.close();
  }
}

async function platformOf(values: FlagValues): Promise<ImagePlatform | undefined> {
  if (values.platform === undefined) return undefined;
  const { parsePlatform } = await import('@nodeagent/image-store/decisions');
  const platform = parsePlatform(text(values, 'platform'));
  if (platform === undefined) throw badUsage(`--platform: "${values.platform}" is not a platform such as linux/arm64 or linux/arm/v7`);
  return platform;
}

/** An image without an index has one platform, whatever is asked for. */
function warnOfPlatform({ platform }: StoredImage, wanted: ImagePlatform, { stderr }: Console): void {
  if (platform.os === wanted.os && platform.architecture === wanted.architecture) return;
  stderr.write(`warning: the image has only the platform ${printable(`${platform.os}/${platform.architecture}`)}\n`);
}

const unreachable = /^(RegistryUnavailable|E[A-Z]+|EAI_AGAIN|ERR_(TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;
const ofDisk = /^E(NOSPC|DQUOT|ACCES|PERM|ROFS|IO|NOTDIR|EXIST)$/;

/** The error with the image, and what to do about it. */
function pullFailure(error: unknown, image: string, login: RegistryLogin | undefined): NodeAgentError {
  const code = errorCode(error) ?? 'IMAGE_NOT_PULLED';
  const hint = errorHint(error) ?? hintOf(code, image, login);
  return new NodeAgentError(code, `cannot pull ${image}: ${errorText(error)}`, { cause: error, ...(hint !== undefined && { hint }) });
}

function hintOf(code: string, image: string, login: RegistryLogin | undefined): string | undefined {
  const registry = parseImageName(image).repository.split('/')[0];
  if (code === 'Unauthorized') {
    return login === undefined
      ? `the image may not exist, or ${registry} demands credentials: "podman login ${registry}", "docker login ${registry}", or --username and --password-stdin`
      : `${registry} refuses the credentials of ${login.source} for this image`;
  }
  if (code === 'ImageNotFound') return `${registry} has no such image: check its name and tag`;
  if (unreachable.test(code) && !ofDisk.test(code))
    return `check that ${registry} can be reached; --hosts-dir and --registries-conf have its mirrors, certificates, and whether it is without TLS`;
  return undefined;
}
