import type { Pod } from '@nodeagent/api';
import { isObject, sha256 } from '@nodeagent/api/helpers';
import { decodeBase64Url, encodeBase64Url } from '../base64url.js';
import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';
import { badRequest, conflict, invalid, notFound } from '../status.js';
import type { ServerStorage } from '../store/server-storage.js';
import { defaultIssuer, type ServiceAccountOptions } from './token-keys.js';
import type { RequestUser } from './user.js';

const longestSeconds = 2 ** 32;

interface Claims {
  iss: string;
  sub: string;
  aud: string[];
  exp: number;
  uid: string;
  'kubernetes.io': { namespace: string; serviceaccount: { name: string; uid: string }; [bound: string]: unknown };
}

interface TokenSpec {
  audiences?: string[] | null;
  expirationSeconds?: number | null;
  boundObjectRef?: null | { kind?: string; apiVersion?: string; name?: string; uid?: string };
}

/** Service account tokens. */
export class ServiceAccountTokens {
  readonly #context: ApiContext;
  readonly #storage: ServerStorage | undefined;
  readonly #issuer: string;
  readonly #audiences: readonly string[];
  readonly #keys: ServiceAccountOptions['keys'];
  #newKey: string | undefined;

  constructor(context: ApiContext, storage?: ServerStorage, { issuer = defaultIssuer, audiences, keys }: ServiceAccountOptions = {}) {
    this.#context = context;
    this.#storage = storage;
    this.#issuer = issuer;
    this.#audiences = audiences ?? [issuer];
    this.#keys = keys;
  }

  /** That of the earlier run, or a new one. */
  get #key(): string {
    this.#newKey ??= this.#storage?.value('tokenKey');
    if (this.#newKey !== undefined) return this.#newKey;
    this.#newKey = crypto.getRandomValues(new Uint8Array(32)).join();
    this.#storage?.setValue('tokenKey', this.#newKey);
    return this.#newKey;
  }

  /** Fills a `TokenRequest`: Kubernetes documentation, "Managing Service Accounts". */
  request(account: ApiObject, body: ApiObject): ApiObject {
    const { boundObjectRef, ...spec } = (body.spec ?? {}) as TokenSpec;
    const audiences = spec.audiences?.length ? spec.audiences : [...this.#audiences];
    const expirationSeconds = spec.expirationSeconds ?? 3600;
    if (expirationSeconds < 600 || expirationSeconds > longestSeconds) {
      const rule =
        expirationSeconds < 600 ? 'may not specify a duration less than 10 minutes' : 'may not specify a duration larger than 2^32 seconds';
      throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest', name: '' }, [
        { field: 'spec.expirationSeconds', problem: `Invalid value: ${expirationSeconds}: ${rule}` },
      ]);
    }
    const { namespace = '', name = '', uid = '' } = account.metadata;
    const bound = boundObjectRef && this.#bound(account, boundObjectRef);
    const expires = Math.floor(this.#context.clock.now() / 1000) + expirationSeconds;
    const claims: Claims = {
      iss: this.#issuer,
      sub: `system:serviceaccount:${namespace}:${name}`,
      aud: audiences,
      exp: expires,
      uid,
      'kubernetes.io': { namespace, serviceaccount: { name, uid }, ...bound },
    };
    return {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, creationTimestamp: new Date(this.#context.clock.now()).toISOString().replace(/\.\d+/, '') },
      spec: { audiences, expirationSeconds, boundObjectRef: boundObjectRef ?? null },
      status: { token: this.#sign(claims), expirationTimestamp: new Date(expires * 1000).toISOString().replace(/\.\d+/, '') },
    };
  }

  /** The user of a token; undefined if the token is unknown or expired, or its account or pod was deleted. */
  review(token: string, audiences: readonly string[] = this.#audiences): RequestUser | undefined {
    const claims = this.#verified(token);
    if (claims?.iss !== this.#issuer || claims.exp * 1000 <= this.#context.clock.now()) return undefined;
    if (!claims.aud.some((audience) => audiences.includes(audience))) return undefined;
    const { namespace, serviceaccount, pod } = claims['kubernetes.io'];
    const account = this.#context.store.get('/serviceaccounts', namespace, serviceaccount.name);
    if (account?.metadata.uid !== serviceaccount.uid) return undefined;
    if (isObject(pod) && this.#context.store.get('/pods', namespace, String(pod.name))?.metadata.uid !== pod.uid) return undefined;
    return {
      username: claims.sub,
      uid: serviceaccount.uid,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    };
  }

  #bound({ metadata }: ApiObject, { kind = '', name = '', uid }: NonNullable<TokenSpec['boundObjectRef']>): Record<string, unknown> {
    const storage = { Pod: '/pods', Secret: '/secrets', Node: '/nodes' }[kind];
    if (storage === undefined) throw badRequest(`cannot bind token for serviceaccount to object of type ${kind}`);
    const resource = storage.slice(1);
    const object = this.#context.store.get(storage, kind === 'Node' ? undefined : metadata.namespace, name);
    if (object === undefined) throw notFound({ kind: resource, name });
    if (kind === 'Pod' && (object as Pod).spec?.serviceAccountName !== metadata.name) {
      throw badRequest(`cannot bind token for serviceaccount "${metadata.name}" to pod running with different serviceaccount name.`);
    }
    if (uid && uid !== object.metadata.uid) {
      const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
      throw conflict({ kind: resource, name }, why);
    }
    return { [kind.toLowerCase()]: { name, uid: object.metadata.uid } };
  }

  #sign(claims: Claims): string {
    const part = (value: unknown) => encodeBase64Url(JSON.stringify(value));
    const header = this.#keys?.header ?? { alg: 'HS256', typ: 'JWT' };
    const signed = `${part(header)}.${part(claims)}`;
    return `${signed}.${this.#keys ? this.#keys.sign(signed) : this.#mac(signed)}`;
  }

  #verified(token: string): Claims | undefined {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const signed = `${header}.${payload}`;
    if (!(this.#keys ? this.#keys.verify(signed, signature) : signature === this.#mac(signed))) return undefined;
    return JSON.parse(decodeBase64Url(payload)) as Claims;
  }

  /** The key surrounds the text, as in HMAC, so that no text can be appended without it. */
  #mac(text: string): string {
    return sha256(`${this.#key} ${sha256(`${this.#key} ${text}`)}`);
  }
}
