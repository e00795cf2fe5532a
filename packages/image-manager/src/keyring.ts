import { compareUtf8 } from '@nodeagent/api/helpers';
import {
  type CredentialProvider,
  type CredentialSource,
  credentialHash,
  type RegistryAuth,
  type TrackedCredential,
} from './credentials.js';
import { parseRegistryUrl, registryUrlMatches } from './registry-url.js';

/** The usual key for credentials of docker.io. */
const defaultRegistry = 'index.docker.io';

/** Registry credentials by address. */
export interface Keyring extends CredentialProvider {
  /** Adds credentials for a registry address; an invalid address is ignored. */
  add(address: string, auth: RegistryAuth, source?: CredentialSource): void;
  /** Credentials that match the repository, in the order of {@link index}; undefined if none match. */
  find(repository: string): TrackedCredential[] | undefined;
  lookup(repository: string): Promise<TrackedCredential[]>;
  /** The addresses in the order in which they are tried. */
  index(): string[];
}

/** An empty keyring. */
export function createKeyring(): Keyring {
  const byKey = new Map<string, TrackedCredential[]>();
  let sorted: string[] = [];

  const find = (repository: string) => {
    const fitting = sorted.filter((key) => matches(key, repository)).flatMap((key) => byKey.get(key) ?? []);
    if (fitting.length > 0) return fitting;
    return isDefaultRegistry(repository) ? byKey.get(defaultRegistry) : undefined;
  };

  return {
    add(address, auth, source) {
      const key = keyOf(address);
      if (key === undefined) return;
      const credential: TrackedCredential = { auth, hash: credentialHash(auth), ...(source && { source }) };
      const present = byKey.get(key);
      if (present) {
        present.push(credential);
      } else {
        byKey.set(key, [credential]);
        sorted = Array.from(byKey.keys()).sort((a, b) => compareUtf8(b, a));
      }
    },
    find,
    index: () => [...sorted],
    lookup: async (repository) => find(repository) ?? [],
  };
}

const scheme = /^https?:\/\//;

/** Host and path of an address, without its scheme; the API version paths of a registry are removed. */
function keyOf(address: string): string | undefined {
  try {
    const { host, path } = parseRegistryUrl(address.replace(scheme, ''));
    const effective = /^\/v[12]\//.test(path) ? path.slice(3) : path;
    return effective === '/' ? host : host + effective;
  } catch {
    return undefined;
  }
}

function matches(key: string, repository: string): boolean {
  try {
    return registryUrlMatches(key, repository);
  } catch {
    return false;
  }
}

function isDefaultRegistry(repository: string): boolean {
  const [first = '', ...rest] = repository.split('/');
  if (first === '') return false;
  return rest.length === 0 || first === 'docker.io' || first === defaultRegistry || !/[.:]/.test(first);
}
