import { decodeBase64, decodeUtf8, parseImageName } from '@nodeagent/api/helpers';
import type { AuthConfig } from '@nodeagent/cri-api';
import type { RegistryCredentials } from '@nodeagent/image-store';
import { invalidArgument } from '../errors.js';

/** Names of Docker's registry in configurations of credentials. */
const dockerHosts = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);

/**
 * The credentials for the registry of an image; undefined for an anonymous pull, also if `serverAddress` names another registry. CRI, `AuthConfig`.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for an `auth` that is not a user and a password in base64
 */
export function registryCredentials(auth: AuthConfig | undefined, image: string): RegistryCredentials | undefined {
  if (auth === undefined) return undefined;
  const { username, password, identityToken, registryToken, serverAddress } = auth;
  if (serverAddress && !isSameRegistry(serverAddress, image)) return undefined;
  if (registryToken) return { registryToken };
  if (identityToken) return { identityToken };
  if (username) return { username, password: password ?? '' };
  return auth.auth ? decodeAuth(auth.auth) : undefined;
}

function isSameRegistry(serverAddress: string, image: string): boolean {
  const [host = ''] = serverAddress.replace(/^[a-z]+:\/\//, '').split('/');
  const [registry = ''] = parseImageName(image).repository.split('/');
  return host === registry || (dockerHosts.has(host) && dockerHosts.has(registry));
}

function decodeAuth(auth: string): RegistryCredentials {
  const text = decodeUtf8(decodeBase64(auth));
  const end = text.indexOf(':');
  if (end < 0) throw invalidArgument('auth.auth', 'must be a user and a password, with ":" between, in base64');
  // Docker pads passwords.
  return { username: text.slice(0, end), password: text.slice(end + 1).replace(/\0+$/, '') };
}
