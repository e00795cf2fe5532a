import type { Pod } from '@nodeagent/api';
import { formatTime, sha256 } from '@nodeagent/api/helpers';
import { decodeBase64Url, encodeBase64Url } from '../base64url.js';
import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';
import { badRequest, conflict, invalid, notFound } from '../status.js';
import type { ServerStorage } from '../store/server-storage.js';
import { defaultIssuer, type ServiceAccountOptions } from './token-keys.js';
import type { RequestUser } from './user.js';

const longestSeconds = 2 ** 32;
/** What agents request for pods. A token of that is valid for a year, so that programs that do not read it again still work. */
const podTokenSeconds = 3607;
const extendedSeconds = 365 * 24 * 3600;
/** How long a token is valid after its time, and after the deletion of its account or pod. */
const leewayMs = 60_000;

interface BoundObject {
  name: string;
  uid?: string;
}

interface Claims {
  iss: string;
  sub: string;
  aud: string[];
  exp: number;
  iat: number;
  nbf: number;
  jti: string;
  'kubernetes.io': {
    namespace: string;
    serviceaccount: { name: string; uid: string };
    pod?: BoundObject;
    secret?: BoundObject;
    node?: BoundObject;
    warnafter?: number;
  };
  /** The token itself if it is that of a Secret, which must have it. */
  secretToken?: string;
}

/** The issuer of tokens in Secrets, and its claims about a service account. */
const secretIssuer = 'kubernetes/serviceaccount';
const secretClaim = (name: string): string => `kubernetes.io/serviceaccount/${name}`;

type Bound = Pick<Claims['kubernetes.io'], 'pod' | 'secret' | 'node'>;

interface TokenSpec {
  audiences?: string[] | null;
  expirationSeconds?: number | null;
  boundObjectRef?: null | { kind?: string; apiVersion?: string; name?: string; uid?: string };
}

/** The user of a token and the audiences for which it is valid, or why it has none. */
export type TokenAnswer = { user: RequestUser; audiences: readonly string[] } | { error: string };

/** Service account tokens: Kubernetes documentation, "Managing Service Accounts". */
export class ServiceAccountTokens {
  readonly #context: ApiContext;
  readonly #storage: ServerStorage | undefined;
  readonly #issuer: string;
  readonly #keys: ServiceAccountOptions['keys'];
  /** The audiences of tokens for this server. */
  readonly audiences: readonly string[];
  #newKey: string | undefined;
  #issued = 0;

  constructor(context: ApiContext, storage?: ServerStorage, { issuer = defaultIssuer, audiences, keys }: ServiceAccountOptions = {}) {
    this.#context = context;
    this.#storage = storage;
    this.#issuer = issuer;
    this.audiences = audiences ?? [issuer];
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

  /** Fills a `TokenRequest`. */
  request(account: ApiObject, body: ApiObject): ApiObject {
    const { boundObjectRef, ...spec } = (body.spec ?? {}) as TokenSpec;
    const metadata = requestMetadata(account, body);
    const audiences = spec.audiences?.length ? spec.audiences : [...this.audiences];
    const expirationSeconds = spec.expirationSeconds ?? 3600;
    checkExpiration(expirationSeconds);
    const bound = boundObjectRef ? this.#bound(account, boundObjectRef) : {};
    const nowMs = this.#context.clock.now();
    const now = Math.floor(nowMs / 1000);
    const isExtended =
      bound.pod !== undefined && expirationSeconds === podTokenSeconds && audiences.every((each) => this.audiences.includes(each));
    const { namespace = '', name = '', uid = '' } = account.metadata;
    const sub = accountUser(namespace, name);
    const token = this.#sign({
      iss: this.#issuer,
      sub,
      aud: audiences,
      exp: now + (isExtended ? extendedSeconds : expirationSeconds),
      iat: now,
      nbf: now,
      jti: uuidOf(`${++this.#issued} ${nowMs} ${sub} ${uid}`),
      'kubernetes.io': {
        namespace,
        serviceaccount: { name, uid },
        ...bound,
        ...(isExtended && { warnafter: now + expirationSeconds }),
      },
    });
    return {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { ...metadata, creationTimestamp: formatTime(nowMs) },
      spec: { audiences, expirationSeconds, boundObjectRef: boundObjectRef ?? null },
      status: { token, expirationTimestamp: formatTime((now + expirationSeconds) * 1000) },
    };
  }

  /** The token of a Secret for its account: Kubernetes documentation, "Managing Service Accounts: Manual Secret management". */
  ofSecret({ metadata: account }: ApiObject, { metadata: secret }: ApiObject): string {
    const { namespace = '', name = '', uid = '' } = account;
    return this.#sign({
      iss: secretIssuer,
      [secretClaim('namespace')]: namespace,
      [secretClaim('secret.name')]: secret.name,
      [secretClaim('service-account.name')]: name,
      [secretClaim('service-account.uid')]: uid,
      sub: accountUser(namespace, name),
    });
  }

  /** The user of a token for one of the audiences. */
  review(token: string, audiences: readonly string[] = this.audiences): TokenAnswer {
    const claims = this.#verified(token);
    if (claims === undefined) return { error: 'invalid bearer token' };
    const common = claims.aud.filter((audience) => audiences.includes(audience));
    const list = (texts: readonly string[]) => `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
    const problem =
      common.length === 0
        ? `token audiences ${list(claims.aud)} is invalid for the target audiences ${list(audiences)}`
        : this.#problemOf(claims);
    return problem === undefined ? { user: userOf(claims), audiences: common } : { error: `[invalid bearer token, ${problem}]` };
  }

  /** Why a signed token is invalid now. */
  #problemOf({ exp, secretToken, 'kubernetes.io': { namespace, serviceaccount, pod, secret, node } }: Claims): string | undefined {
    const now = this.#context.clock.now();
    if (exp * 1000 + leewayMs <= now) return 'service account token has expired';
    const { store } = this.#context;
    const isDeleted = ({ metadata: { deletionTimestamp } }: ApiObject) =>
      !!deletionTimestamp && Date.parse(deletionTimestamp) < now - leewayMs;
    const account = store.get('/serviceaccounts', namespace, serviceaccount.name);
    if (account === undefined) return `serviceaccounts "${serviceaccount.name}" not found`;
    if (account.metadata.uid !== serviceaccount.uid)
      return `service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`;
    if (isDeleted(account)) return `service account ${namespace}/${serviceaccount.name} has been deleted`;
    const bound = boundOf(namespace, { pod, secret, node });
    const object = bound && store.get(bound.storage, bound.namespace, bound.ref.name);
    if (bound === undefined) return undefined;
    if (object === undefined || isDeleted(object)) return 'service account token has been invalidated';
    if (secretToken) {
      const { token } = (object.data ?? {}) as { token?: string };
      return token === btoa(secretToken) ? undefined : 'service account token has been invalidated';
    }
    if (object.metadata.uid === bound.ref.uid) return undefined;
    return `${bound.kind} UID (${object.metadata.uid}) does not match service account ${bound.claim} ref claim (${bound.ref.uid})`;
  }

  #bound({ metadata }: ApiObject, ref: NonNullable<TokenSpec['boundObjectRef']>): Bound {
    const { kind = '', apiVersion = '', name = '', uid } = ref;
    const storage = { Pod: '/pods', Secret: '/secrets', Node: '/nodes' }[kind];
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    if (storage === undefined || group) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
    const object = this.#context.store.get(storage, kind === 'Node' ? undefined : metadata.namespace, name);
    if (object === undefined) throw notFound({ kind: storage.slice(1), name });
    const { serviceAccountName, nodeName } = (object as Pod).spec ?? {};
    if (kind === 'Pod' && serviceAccountName !== metadata.name) {
      throw badRequest(`cannot bind token for serviceaccount "${metadata.name}" to pod running with different serviceaccount name.`);
    }
    if (uid && uid !== object.metadata.uid) {
      const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
      throw conflict({ kind, name }, why);
    }
    const self = { name, ...(object.metadata.uid && { uid: object.metadata.uid }) };
    if (kind === 'Secret') return { secret: self };
    if (kind === 'Node') return { node: self };
    return { pod: self, ...(nodeName && { node: this.#nodeOf(nodeName) }) };
  }

  #nodeOf(name: string): BoundObject {
    const uid = this.#context.store.get('/nodes', undefined, name)?.metadata.uid;
    return { name, ...(uid && { uid }) };
  }

  #sign(claims: object): string {
    const part = (value: unknown) => encodeBase64Url(JSON.stringify(value));
    const signed = `${part(this.#keys?.header ?? { alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
    return `${signed}.${this.#keys ? this.#keys.sign(signed) : this.#mac(signed)}`;
  }

  #verified(token: string): Claims | undefined {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const signed = `${header}.${payload}`;
    if (!(this.#keys ? this.#keys.verify(signed, signature) : signature === this.#mac(signed))) return undefined;
    const claims = JSON.parse(decodeBase64Url(payload)) as Claims;
    if (claims.iss === secretIssuer) return secretClaims(token, claims as unknown as Readonly<Record<string, string>>, this.audiences);
    return claims.iss === this.#issuer ? claims : undefined;
  }

  /** The key surrounds the text, as in HMAC, so that no text can be appended without it. */
  #mac(text: string): string {
    return sha256(`${this.#key} ${sha256(`${this.#key} ${text}`)}`);
  }
}

/** The metadata of a request, which may name the account and its UID. Throws 409 and 422 if it names another one. */
function requestMetadata(account: ApiObject, { metadata }: ApiObject): ApiObject['metadata'] {
  const { namespace = '', name = '', uid = '' } = account.metadata;
  const differs = (field: 'name' | 'namespace', value: string) => {
    const given = metadata?.[field];
    if (!given || given === value) return [];
    const problem = `Invalid value: ${JSON.stringify(given)}: must match the service account ${field} if specified`;
    return [{ field: `metadata.${field}`, problem }];
  };
  const problems = [...differs('name', name), ...differs('namespace', namespace)];
  if (problems.length > 0) throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest', name }, problems);
  if (metadata?.uid && metadata.uid !== uid) {
    const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: 'authentication.k8s.io', kind: 'TokenRequest', name }, why);
  }
  return { name, namespace, uid };
}

function checkExpiration(seconds: number): void {
  if (seconds >= 600 && seconds <= longestSeconds) return;
  const rule = seconds < 600 ? 'may not specify a duration less than 10 minutes' : 'may not specify a duration larger than 2^32 seconds';
  throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest', name: '' }, [
    { field: 'spec.expirationSeconds', problem: `Invalid value: ${seconds}: ${rule}` },
  ]);
}

/** The object that a token is bound to; the node of a pod is only information. */
function boundOf(namespace: string, { pod, secret, node }: Bound) {
  if (pod) return { storage: '/pods', namespace, kind: 'pod', claim: 'pod', ref: pod };
  if (secret) return { storage: '/secrets', namespace, kind: 'secret', claim: 'secret', ref: secret };
  return node && { storage: '/nodes', namespace: undefined, kind: 'node', claim: 'node', ref: node };
}

const accountUser = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;

/** The claims of a Secret's token in the form of the other ones. */
function secretClaims(secretToken: string, claims: Readonly<Record<string, string>>, aud: readonly string[]): Claims {
  const of = (name: string) => claims[secretClaim(name)] ?? '';
  return {
    ...{ iss: secretIssuer, sub: claims.sub ?? '', aud: [...aud], exp: Infinity, iat: 0, nbf: 0, jti: '', secretToken },
    'kubernetes.io': {
      namespace: of('namespace'),
      serviceaccount: { name: of('service-account.name'), uid: of('service-account.uid') },
      secret: { name: of('secret.name') },
    },
  };
}

function userOf({ sub, jti, 'kubernetes.io': { namespace, serviceaccount, pod, node } }: Claims): RequestUser {
  const extra: Record<string, readonly string[]> = {};
  const add = (name: string, value: string | undefined) => {
    if (value) extra[`authentication.kubernetes.io/${name}`] = [value];
  };
  add('credential-id', jti && `JTI=${jti}`);
  add('node-name', node?.name);
  add('node-uid', node?.uid);
  add('pod-name', pod?.name);
  add('pod-uid', pod?.uid);
  return {
    username: sub,
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra,
  };
}

/** A UUID that follows from a text, so that tokens use up no random numbers. */
function uuidOf(text: string): string {
  const hex = sha256(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
