import { createHash } from 'node:crypto';
import type { Pod } from '@nodeagent/api';
import type { AuthConfig } from '@nodeagent/cri-api';

/** A secret of the cluster, by what identifies it. */
export interface SecretCoordinates {
  uid: string;
  namespace: string;
  name: string;
}

/** A service account of the cluster, by what identifies it. */
export interface ServiceAccountCoordinates {
  uid: string;
  namespace: string;
  name: string;
}

/** What a registry login consists of. Never logged. */
export interface RegistryAuth extends AuthConfig {
  email?: string;
}

/** Where credentials came from; absent for those of the node, which every pod may use. */
export interface CredentialSource {
  secret?: SecretCoordinates;
  serviceAccount?: ServiceAccountCoordinates;
}

/** A registry login that remembers where it came from. */
export interface TrackedCredential {
  auth: RegistryAuth;
  source?: CredentialSource;
  /** {@link credentialHash} of `auth`. */
  hash: string;
}

/** A source of registry logins. */
export interface CredentialProvider {
  /**
   * Logins that fit the repository (`docker.io/library/nginx`), best first, for a container of this pod. Rejects if the source cannot be
   * read, which fails the pull.
   */
  lookup(repository: string, pod: Pod, signal?: AbortSignal): Promise<TrackedCredential[]>;
}

/** The hash under which a login is recorded: SHA-256, hexadecimal, of its JSON without empty fields. */
export function credentialHash({ username, password, auth, email, serverAddress, identityToken, registryToken }: RegistryAuth): string {
  const fields = {
    username,
    password,
    auth,
    email,
    serveraddress: serverAddress,
    identitytoken: identityToken,
    registrytoken: registryToken,
  };
  const present = Object.entries(fields).filter(([, value]) => value);
  return createHash('sha256')
    .update(escapeForHtml(JSON.stringify(Object.fromEntries(present))))
    .digest('hex');
}

/** JSON as the kubelet writes it, so that hashes agree with those of its records. */
function escapeForHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
