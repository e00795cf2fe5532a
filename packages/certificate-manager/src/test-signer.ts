import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { apiStatusError, type CertificateSigningRequest, type Clock, type ObjectChange } from '@nodeagent/api';
import { issueCertificate, parseCertificateRequest } from '@nodeagent/x509/node';
import { type CertificatePair, createCertificatePair } from './certificate-pair.js';
import type { SigningRequestApi } from './kubernetes-signer.js';

const issuer = { subject: { commonName: 'test-ca' }, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };

/** The certificate of the authority that signs, in PEM format. */
export const authority = issueCertificate({
  subject: issuer.subject,
  publicKey: issuer.publicKey,
  issuer,
  notBefore: 0,
  notAfter: Date.UTC(2049),
  isAuthority: true,
});

/** Signs a certificate request with all its names. */
export function signRequest(csr: string, notBefore: number, lifetimeMs: number): string {
  const { subject, publicKey, dnsNames, ips } = parseCertificateRequest(csr);
  return issueCertificate({ subject, publicKey, issuer, notBefore, notAfter: notBefore + lifetimeMs, hosts: [...dnsNames, ...ips] });
}

/** A pair that the authority signed. */
export function signedPair(commonName: string, notBefore: number, lifetimeMs: number, hosts: string[] = []): CertificatePair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = { commonName, organizations: ['system:nodes'] };
  const cert = issueCertificate({ subject, publicKey, issuer, notBefore, notAfter: notBefore + lifetimeMs, hosts });
  return createCertificatePair(cert, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
}

/** An API server with CertificateSigningRequests, which a test approves, denies, deletes or makes unavailable. */
export function createTestRequests(clock: Clock, lifetimeMs: number) {
  const objects = new Map<string, CertificateSigningRequest>();
  const listeners = new Set<(name: string) => void>();
  let failure: Error | undefined;
  let signsAtOnce = false;
  const put = (object: CertificateSigningRequest) => {
    objects.set(object.metadata?.name ?? '', object);
    for (const listener of listeners) listener(object.metadata?.name ?? '');
    return object;
  };
  const last = () => {
    const found = [...objects.values()].at(-1);
    if (found === undefined) throw new Error('no request was created');
    return found;
  };
  const condition = (type: string, reason = '', message = '') => ({
    conditions: [...(last().status?.conditions ?? []), { type, status: 'True', reason, message }],
  });

  const test = {
    get count() {
      return objects.size;
    },
    last,
    /** The parsed certificate request of the last object. */
    lastCsr: () => parseCertificateRequest(Buffer.from(last().spec.request, 'base64').toString()),
    set signsAtOnce(value: boolean) {
      signsAtOnce = value;
    },
    /** Fails all later creations; undefined ends that. */
    set failure(error: Error | undefined) {
      failure = error;
    },
    listeners,
    approve: () => put({ ...last(), status: { ...last().status, ...condition('Approved') } }),
    deny: (reason: string, message: string) => put({ ...last(), status: condition('Denied', reason, message) }),
    fail: (reason: string, message: string) => put({ ...last(), status: condition('Failed', reason, message) }),
    sign(notBefore = clock.now()) {
      const pem = signRequest(Buffer.from(last().spec.request, 'base64').toString(), notBefore, lifetimeMs);
      put({ ...last(), status: { ...last().status, certificate: Buffer.from(pem).toString('base64') } });
    },
    replace: () => put({ ...last(), metadata: { ...last().metadata, uid: 'another' } }),
    remove() {
      const name = last().metadata?.name ?? '';
      objects.delete(name);
      for (const listener of listeners) listener(name);
    },
  };

  const api: SigningRequestApi = {
    async create(object) {
      if (failure !== undefined) throw failure;
      const name = object.metadata?.name ?? `${object.metadata?.generateName}${objects.size}`;
      if (objects.has(name)) throw apiStatusError({ code: 409, reason: 'AlreadyExists', message: `"${name}" already exists` });
      const created = put({ ...object, metadata: { name, uid: randomUUID() } });
      if (signsAtOnce) {
        test.approve();
        test.sign();
      }
      return created;
    },
    informer: (selection) => createTestInformer(selection?.fieldSelector?.replace('metadata.name=', '') ?? '', objects, listeners),
  };
  return Object.assign(test, { api });
}

type ChangeListener = (change: ObjectChange<CertificateSigningRequest> | undefined) => void;

/** An informer on the request with this name. */
function createTestInformer(
  selected: string,
  objects: ReadonlyMap<string, CertificateSigningRequest>,
  listeners: Set<(name: string) => void>,
): ReturnType<SigningRequestApi['informer']> {
  const own = new Set<ChangeListener>();
  const notify = (name: string) => {
    if (name === selected) for (const listener of own) listener({});
  };
  let hasSynced = false;
  return {
    get hasSynced() {
      return hasSynced;
    },
    list: () => [...objects.values()],
    get: ({ name }) => (hasSynced ? objects.get(name) : undefined),
    onChange(listener) {
      own.add(listener);
      return () => void own.delete(listener);
    },
    async start() {
      hasSynced = true;
      listeners.add(notify);
      for (const listener of own) listener(undefined);
    },
    async stop() {
      listeners.delete(notify);
    },
  };
}
