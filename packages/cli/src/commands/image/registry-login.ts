import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { createKeyring, parseDockerConfigJson } from '@nodeagent/image-manager/decisions';
import type { RegistryCredentials } from '@nodeagent/image-store';
import type { Console, InputStream } from '../../console.js';
import { badUsage, type Flag, type FlagValues, text } from '../../flags.js';

/** Flags of the credentials. A password in a flag would be in the list of processes and in the shell's history. */
export const loginFlags: readonly Flag[] = [
  {
    name: 'username',
    short: 'u',
    value: 'NAME',
    defaultText: 'by the files below',
    help: 'user of the registry; requires --password-stdin.',
  },
  { name: 'password-stdin', defaultText: 'off', help: 'read the password from stdin.' },
  {
    name: 'authfile',
    value: 'FILE',
    defaultText: '$REGISTRY_AUTH_FILE, else the files below',
    help: 'file with the credentials of registries, as "podman login" and "docker login" write it.',
  },
];

/** Help text for the files of credentials. */
export const loginHelp = `Credentials are those of the first of these files that has some for the image:
  $XDG_RUNTIME_DIR/containers/auth.json  ~/.config/containers/auth.json  ~/.docker/config.json`;

/** Credentials, and where they are from. */
export interface RegistryLogin {
  credentials: RegistryCredentials;
  source: string;
}

/** The credentials for a repository, such as `docker.io/library/nginx`; undefined if there are none. */
export async function registryLogin(values: FlagValues, repository: string, console: Console): Promise<RegistryLogin | undefined> {
  if (values.username !== undefined || values['password-stdin'] === true) return flagLogin(values, console.stdin);
  const { paths, isRequired } = authFiles(values, console.env);
  for (const path of paths) {
    const credentials = await fileLogin(path, isRequired, repository);
    if (credentials !== undefined) return { credentials, source: path };
  }
  return undefined;
}

async function flagLogin(values: FlagValues, stdin: InputStream): Promise<RegistryLogin> {
  if (values.username === undefined) throw badUsage('--password-stdin: requires --username');
  if (values['password-stdin'] !== true) throw badUsage('--username: requires --password-stdin, with the password on stdin');
  const username = text(values, 'username');
  if (stdin.isTTY === true) throw badUsage('--password-stdin: stdin is a terminal; use a pipe or a file');
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  const password = Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '');
  if (password === '') throw badUsage('--password-stdin: stdin has no password');
  return { credentials: { username, password }, source: '--username' };
}

/** Where docker and podman keep credentials: containers-auth.json(5). */
function authFiles(values: FlagValues, env: NodeJS.ProcessEnv): { paths: string[]; isRequired: boolean } {
  const chosen = values.authfile === undefined ? env.REGISTRY_AUTH_FILE : text(values, 'authfile');
  if (chosen) return { paths: [resolve(chosen)], isRequired: true };
  const home = env.HOME || homedir();
  const paths = [
    ...(env.XDG_RUNTIME_DIR ? [join(env.XDG_RUNTIME_DIR, 'containers', 'auth.json')] : []),
    join(env.XDG_CONFIG_HOME || join(home, '.config'), 'containers', 'auth.json'),
    join(env.DOCKER_CONFIG || join(home, '.docker'), 'config.json'),
  ];
  return { paths, isRequired: false };
}

/** The credentials of the longest address that matches. */
async function fileLogin(path: string, isRequired: boolean, repository: string): Promise<RegistryCredentials | undefined> {
  const keyring = createKeyring();
  try {
    const config = parseDockerConfigJson(await readFile(path, 'utf8'), { identityTokens: true });
    for (const [address, auth] of config) keyring.add(address, auth);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' && !isRequired) return undefined;
    throw new NodeAgentError('INVALID_AUTH_FILE', `cannot read the credentials of ${path}: ${errorMessage(error)}`, { cause: error });
  }
  for (const { auth } of keyring.find(repository) ?? []) {
    const { username, password, identityToken } = auth;
    if (identityToken) return { ...(username && { username }), identityToken };
    if (username && password) return { username, password };
  }
  return undefined;
}
