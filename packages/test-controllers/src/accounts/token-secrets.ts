import type { Controller } from '../controller.js';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeOf,
  type StoredChange,
  type StoredObject,
} from '../controller-objects.js';

const secrets = '/secrets';
const accounts = '/serviceaccounts';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

/** Issues the token of a Secret for its service account; it does not expire. */
export type SecretToken = (account: StoredObject, secret: StoredObject) => string;

export interface TokenSecretInput {
  secret: StoredObject;
  /** The account that the Secret names, if it exists. */
  account: StoredObject | undefined;
  /** The cluster's CA in PEM. */
  ca: string;
  tokenOf: SecretToken;
}

/**
 * The Secret with what it lacks of token, CA and namespace; `delete` if its account does not exist, undefined if it is complete. Kubernetes
 * documentation, "Managing Service Accounts: Manual Secret management for ServiceAccounts".
 */
export function reconcileTokenSecret({ secret, account, ca, tokenOf }: TokenSecretInput): StoredObject | 'delete' | undefined {
  const { annotations = {}, namespace = '' } = secret.metadata;
  const uid = annotations[uidAnnotation];
  if (account === undefined || (uid && uid !== account.metadata.uid)) return 'delete';
  const data = (secret.data ?? {}) as Readonly<Record<string, string>>;
  const isComplete = data['ca.crt'] === btoa(ca) && data.namespace && data.token;
  if (isComplete) return undefined;
  const { name = '', uid: accountUid = '' } = account.metadata;
  return {
    ...secret,
    metadata: { ...secret.metadata, annotations: { ...annotations, [nameAnnotation]: name, [uidAnnotation]: accountUid } },
    data: {
      ...data,
      'ca.crt': btoa(ca),
      namespace: data.namespace || btoa(namespace),
      token: data.token || btoa(tokenOf(account, secret)),
    },
  };
}

const isTokenSecret = ({ type }: StoredObject): boolean => type === 'kubernetes.io/service-account-token';
const accountOf = ({ metadata }: StoredObject): string => metadata.annotations?.[nameAnnotation] ?? '';

/** Fills the Secrets with tokens of service accounts, and deletes them with their account. */
export class TokenSecrets implements Controller {
  readonly #objects: ControllerObjects;
  readonly #ca: () => string;
  readonly #tokenOf: SecretToken;

  constructor({ objects, ca, tokenOf }: { objects: ControllerObjects; ca: () => string; tokenOf: SecretToken }) {
    this.#objects = objects;
    this.#ca = ca;
    this.#tokenOf = tokenOf;
  }

  affected({ storage, type, object }: StoredChange): Place[] {
    if (storage === secrets) return isTokenSecret(object) ? [placeOf(secrets, object)] : [];
    if (storage !== accounts || type === 'MODIFIED') return [];
    const { namespace, name } = object.metadata;
    const own = this.#objects.list(secrets, namespace).filter((secret) => isTokenSecret(secret) && accountOf(secret) === name);
    return own.map((secret) => placeOf(secrets, secret));
  }

  reconcile({ namespace, name }: Place): void {
    const secret = this.#objects.get(secrets, namespace, name);
    if (secret === undefined) this.#removeReferences(namespace, name);
    if (secret === undefined || secret.metadata.deletionTimestamp) return;
    const account = this.#objects.get(accounts, namespace, accountOf(secret));
    const after = reconcileTokenSecret({ secret, account, ca: this.#ca(), tokenOf: this.#tokenOf });
    if (after === 'delete') this.#objects.delete(secrets, secret);
    else if (after) this.#objects.replace(secrets, secret, after, controllerManager);
  }

  /** A deleted Secret is no longer among those of its account. */
  #removeReferences(namespace: string | undefined, name: string): void {
    for (const account of this.#objects.list(accounts, namespace)) {
      const { secrets: listed = [], ...rest } = account as StoredObject & { secrets?: { name?: string }[] };
      const kept = listed.filter((each) => each.name !== name);
      if (kept.length === listed.length) continue;
      const after = { ...rest, ...(kept.length > 0 && { secrets: kept }) } as StoredObject;
      this.#objects.replace(accounts, account, after, controllerManager);
    }
  }
}
