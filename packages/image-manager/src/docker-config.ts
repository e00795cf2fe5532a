import { errorMessage, NodeAgentError, type Secret } from '@nodeagent/api';
import { decodeBase64, decodeUtf8, isObject } from '@nodeagent/api/helpers';
import type { CredentialSource, RegistryAuth } from './credentials.js';
import { imageErrorCodes } from './errors.js';
import { createKeyring, type Keyring } from './keyring.js';

/** Credentials by registry address. */
export type DockerConfig = Map<string, RegistryAuth>;

function invalid(what: string, cause?: unknown): NodeAgentError {
  const why = cause === undefined ? '' : `: ${cause instanceof SyntaxError ? 'invalid JSON' : errorMessage(cause)}`;
  return new NodeAgentError(imageErrorCodes.invalidPullCredentials, `${what}${why}`);
}

/** Options of {@link parseDockerConfigJson}. */
export interface DockerConfigOptions {
  /** Whether to read `identitytoken`, as docker and podman do. The kubelet does not. Default false. */
  identityTokens?: boolean;
}

/** Parses a `config.json` (credentials under `auths`). Throws `InvalidPullCredentials`; the message never contains credentials. */
export function parseDockerConfigJson(text: string, options: DockerConfigOptions = {}): DockerConfig {
  const { auths } = parseObject(text, 'docker config');
  return parseEntries(auths ?? {}, options);
}

/** Parses a `.dockercfg` (credentials at the top level). Throws as {@link parseDockerConfigJson}. */
export function parseDockercfg(text: string): DockerConfig {
  return parseEntries(parseObject(text, 'dockercfg'));
}

function parseObject(text: string, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(what, cause);
  }
  if (!isObject(value)) throw invalid(`${what}: not an object`);
  return value;
}

function parseEntries(entries: unknown, { identityTokens = false }: DockerConfigOptions = {}): DockerConfig {
  if (!isObject(entries)) throw invalid('docker config: auths is not an object');
  const config: DockerConfig = new Map();
  for (const [address, entry] of Object.entries(entries)) {
    if (!isObject(entry)) throw invalid(`docker config entry ${JSON.stringify(address)} is not an object`);
    const { username, password, email, auth, identitytoken } = entry;
    const login: RegistryAuth = {
      ...textField('username', username),
      ...textField('password', password),
      ...textField('email', email),
      ...(identityTokens && textField('identityToken', identitytoken)),
    };
    config.set(address, typeof auth === 'string' && auth !== '' ? { ...login, ...decodeAuth(address, auth) } : login);
  }
  return config;
}

function textField<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  if (value === undefined || value === null || value === '') return {};
  if (typeof value !== 'string') throw invalid(`docker config: ${name} is not a string`);
  return { [name]: value } as Record<Name, string>;
}

function decodeAuth(address: string, auth: string): { username: string; password: string } {
  const trimmed = auth.trim();
  const text = /^[A-Za-z0-9+/]*={0,2}$/.test(trimmed) ? decodeUtf8(decodeBase64(trimmed)) : '';
  const colon = text.indexOf(':');
  if (colon < 0) {
    throw invalid(
      `docker config entry ${JSON.stringify(address)}: unable to parse auth field, must be formatted as base64 string of username:password`,
    );
  }
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/**
 * The credentials of a pod's pull secrets as one keyring. Ignores secrets of other types; throws `InvalidPullCredentials` for one that
 * cannot be parsed. Kubernetes documentation, "Pull an Image from a Private Registry".
 */
export function createSecretKeyring(secrets: readonly Secret[]): Keyring {
  const keyring = createKeyring();
  for (const secret of secrets) {
    const { uid = '', namespace = '', name = '' } = secret.metadata ?? {};
    const source: CredentialSource = { secret: { uid, namespace, name } };
    try {
      for (const [address, auth] of secretConfig(secret)) keyring.add(address, auth, source);
    } catch (cause) {
      throw invalid(`pull secret ${namespace}/${name}`, cause);
    }
  }
  return keyring;
}

function secretConfig({ type, data }: Secret): DockerConfig {
  const text = (key: string) => decodeUtf8(decodeBase64(data?.[key] ?? ''));
  if (type === 'kubernetes.io/dockerconfigjson' && data?.['.dockerconfigjson']) return parseDockerConfigJson(text('.dockerconfigjson'));
  if (type === 'kubernetes.io/dockercfg' && data?.['.dockercfg']) return parseDockercfg(text('.dockercfg'));
  return new Map();
}
