import type { Pod } from '@nodeagent/api';
import { sha256 } from '@nodeagent/api/helpers';
import type { AuthConfig } from '@nodeagent/cri-api';

/** Identifies a secret of the cluster. */
export interface SecretCoordinates {
  uid: string;
  namespace: string;
  name: string;
}

/** Identifies a service account of the cluster. */
export interface ServiceAccountCoordinates {
  uid: string;
  namespace: string;
  name: string;
}

/** Registry credentials. Never logged. */
export interface RegistryAuth extends AuthConfig {
  email?: string;
}

/** The source of credentials; absent for those of the node, which every pod may use. */
export interface CredentialSource {
  secret?: SecretCoordinates;
  serviceAccount?: ServiceAccountCoordinates;
}

/** Registry credentials with their source. */
export interface TrackedCredential {
  auth: RegistryAuth;
  source?: CredentialSource;
  /** {@link credentialHash} of `auth`. */
  hash: string;
}

/** A source of registry credentials. */
export interface CredentialProvider {
  /**
   * Credentials that match the repository (`docker.io/library/nginx`), best first, for a container of this pod. Rejects if the source
   * cannot be read, which fails the pull.
   */
  lookup(repository: string, pod: Pod, signal?: AbortSignal): Promise<TrackedCredential[]>;
}

/** The hash of credentials in pull records: SHA-256, hexadecimal, of their JSON without empty fields. */
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
  return sha256(escapeForHtml(JSON.stringify(Object.fromEntries(present))));
}

/** Escapes JSON as the kubelet does, so that the hashes equal those in its records. */
function escapeForHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
