import { type CertificateSigningRequest, type CertificateSigningRequestCondition, type Clock, errorMessage } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import { readCertificateRequest } from '@nodeagent/x509/decisions';
import type { Controller } from '../controller.js';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeOf,
  type StoredChange,
  type StoredObject,
} from '../controller-objects.js';

/** The CA of a cluster. */
export interface CertificateAuthority {
  /** The CA certificate, PEM. */
  readonly cert: string;
  /**
   * Issues a certificate for the subject, the names and the key of a certificate request, PEM. Returns PEM. Throws if the request is not signed
   * by its key.
   */
  signRequest(request: string, content: RequestedCertificate): string;
}

/** What a certificate has beside the content of its request. */
export interface RequestedCertificate {
  usages: readonly ('server' | 'client')[];
  /** Milliseconds since 1970. */
  notBefore: number;
  notAfter: number;
}

/** How the server approves and signs CertificateSigningRequests. */
export interface CertificateSignerOptions {
  /**
   * Signers whose requests are approved at once. Default: `kubernetes.io/kube-apiserver-client-kubelet`, as in a cluster; serving
   * certificates wait for an approval.
   */
  autoApprove?: readonly string[];
  /** Lifetime of certificates in milliseconds, unless a request asks for less. Default: a year. */
  lifetimeMs?: number;
  /** How long before its issue a certificate becomes valid, for clocks that are behind, in milliseconds. Default 5 minutes, as in a cluster. */
  backdateMs?: number;
}

const storage = 'certificates.k8s.io/certificatesigningrequests';
const clientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
const userSigner = 'kubernetes.io/kube-apiserver-client';
const signers = new Set([clientSigner, 'kubernetes.io/kubelet-serving', userSigner]);
const year = 365 * 86_400_000;

/** The shortest lifetime that a request can ask for. */
const minLifetimeMs = 10 * 60_000;

type SigningRequest = StoredObject & CertificateSigningRequest;

/** Approves and signs the requests of nodes, and signs those of users once they are approved: Kubernetes documentation, "Certificates and Certificate Signing Requests". */
export class CertificateSigner implements Controller {
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #authority: () => CertificateAuthority;
  readonly #autoApprove: readonly string[];
  readonly #lifetimeMs: number;
  readonly #backdateMs: number;

  constructor(
    { objects, clock, authority }: { objects: ControllerObjects; clock: Clock; authority: () => CertificateAuthority },
    options: CertificateSignerOptions,
  ) {
    this.#objects = objects;
    this.#clock = clock;
    this.#authority = authority;
    this.#autoApprove = options.autoApprove ?? [clientSigner];
    this.#lifetimeMs = options.lifetimeMs ?? year;
    this.#backdateMs = options.backdateMs ?? 5 * 60_000;
  }

  affected({ storage: changed, type, object }: StoredChange): Place[] {
    return changed === storage && type !== 'DELETED' ? [placeOf(storage, object)] : [];
  }

  reconcile({ name }: Place): void {
    const request = this.#objects.get(storage, undefined, name) as SigningRequest | undefined;
    if (request === undefined || !signers.has(request.spec.signerName)) return;
    const { conditions = [], certificate } = request.status ?? {};
    const has = (type: string) => conditions.some((condition) => condition.type === type);
    if (certificate || has('Denied') || has('Failed')) return;
    if (has('Approved')) this.#sign(request);
    else if (this.#autoApprove.includes(request.spec.signerName)) {
      this.#write(request, {}, { type: 'Approved', reason: 'AutoApproved', message: 'Auto approving kubelet certificate.' });
    }
  }

  #sign(request: SigningRequest): void {
    try {
      this.#write(request, { certificate: btoa(this.#issue(request.spec)) });
    } catch (error) {
      this.#write(request, {}, { type: 'Failed', reason: 'SignerValidationFailure', message: errorMessage(error) });
    }
  }

  #issue({ request, usages = [], expirationSeconds, signerName }: SigningRequest['spec']): string {
    const pem = atob(request);
    if (signerName === userSigner) requireClientUsages(usages);
    else requireNode(pem);
    const requestedMs = expirationSeconds === undefined ? this.#lifetimeMs : Math.max(expirationSeconds * 1_000, minLifetimeMs);
    const now = this.#clock.now();
    return this.#authority().signRequest(pem, {
      usages: [
        ...(usages.includes('client auth') ? ['client' as const] : []),
        ...(usages.includes('server auth') ? ['server' as const] : []),
      ],
      notBefore: now - this.#backdateMs,
      notAfter: now + Math.min(requestedMs, this.#lifetimeMs),
    });
  }

  #write(
    request: SigningRequest,
    status: { certificate?: string },
    condition?: Pick<CertificateSigningRequestCondition, 'type' | 'reason' | 'message'>,
  ): void {
    const now = formatTime(this.#clock.now());
    const added = condition && { ...condition, status: 'True', lastUpdateTime: now, lastTransitionTime: now };
    const conditions = [...(request.status?.conditions ?? []), ...(added ? [added] : [])];
    const after: SigningRequest = { ...request, status: { ...request.status, ...status, conditions } };
    this.#objects.overwrite(storage, request, after, { ...controllerManager, subresource: 'status' });
  }
}

function requireNode(pem: string): void {
  const { subject } = readCertificateRequest(pem);
  if (!subject.organizations.includes('system:nodes')) throw new Error('subject organization is not system:nodes');
  if (!subject.commonName.startsWith('system:node:')) throw new Error('subject common name does not begin with system:node:');
}

const clientUsage = 'client auth';

function requireClientUsages(usages: readonly string[]): void {
  const wrong = usages.find((usage) => ![clientUsage, 'digital signature', 'key encipherment'].includes(usage));
  if (wrong) throw new Error(`invalid usage for client certificate: ${wrong}`);
  if (!usages.includes(clientUsage)) throw new Error(`missing required usage for client certificate: ${clientUsage}`);
}
