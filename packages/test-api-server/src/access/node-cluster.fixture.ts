import { generateKeyPairSync } from 'node:crypto';
import type { Node, Pod } from '@nodeagent/api';
import { createCertificateRequest } from '@nodeagent/x509/node';
import type { TestApiServerOptions } from '../options.js';
import { pod, setUp } from '../test-api-server.fixture.js';

export const nodes = '/api/v1/nodes';
export const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
export const slices = '/apis/resource.k8s.io/v1/resourceslices';
export const signing = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
export const leases = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
export const clientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
export const servingSigner = 'kubernetes.io/kubelet-serving';
export const csiNodes = '/apis/storage.k8s.io/v1/csinodes';

/** A ResourceSlice. */
export const slice = (name: string, nodeName: string) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name },
  spec: { driver: 'gpu.example.com', nodeName, pool: { name: nodeName, generation: 1, resourceSliceCount: 1 } },
});

/** A CertificateSigningRequest. */
export function certificateRequest(commonName: string, signer: string) {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = createCertificateRequest({ subject: { commonName, organizations: ['system:nodes'] }, ...keys });
  return {
    metadata: { generateName: 'csr-' },
    spec: { request: Buffer.from(pem).toString('base64'), signerName: signer, usages: ['digital signature'] },
  };
}

const projected = (audience?: string) => ({
  projected: { sources: [{ serviceAccountToken: { path: 'token', ...(audience && { audience }) } }] },
});

/**
 * A cluster with nodes n1 and n2, and requests of n1. The pod `mine` runs on n1, `other` on n2. `mine` mounts tokens for the API server and
 * for `vault`, and volumes of CSI drivers that need tokens for `inline` and for `bound`.
 */
export function nodeCluster(options: TestApiServerOptions = {}) {
  const user = { username: 'system:node:n1', groups: ['system:nodes'] };
  const { call, server } = setUp({ nodeRestriction: true, tokens: { secret: user }, ...options });
  const ask = async (method: string, url: string, body?: unknown) => {
    const { status, body: answer } = await call(method, url, body, {
      authorization: 'Bearer secret',
      ...(method === 'PATCH' && { 'content-type': 'application/merge-patch+json' }),
    });
    return status < 400 ? status : (answer.message as string);
  };
  const { objects } = server;
  const taints = [{ key: 'example.com/quarantine', effect: 'NoSchedule' }];
  const made = ['n1', 'n2'].map((name) => objects.create<Node>({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { taints } }));
  for (const [name, audience] of Object.entries({ 'inline.example.com': 'inline', 'bound.example.com': 'bound' }))
    objects.create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name },
      spec: { tokenRequests: [{ audience }] },
    });
  const size = { storage: '1Gi' };
  objects.create({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv' },
    spec: { capacity: size, accessModes: ['ReadWriteOnce'], csi: { driver: 'bound.example.com', volumeHandle: 'v' } },
  });
  objects.create({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: size }, volumeName: 'pv' },
  });
  const volumes = [
    { name: 'api', ...projected() },
    { name: 'vault', ...projected('vault') },
    { name: 'inline', csi: { driver: 'inline.example.com' } },
    { name: 'bound', persistentVolumeClaim: { claimName: 'data' } },
  ];
  const [mine, other] = [
    objects.create<Pod>(pod('mine', { nodeName: 'n1', volumes }, { labels: { app: 'web' } })),
    objects.create<Pod>(pod('other', { nodeName: 'n2' })),
  ];
  for (const name of ['n1', 'n2']) objects.create(slice(name, name));
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: made[0]?.metadata?.uid ?? '', controller: true };
  /** A mirror pod of n1, with changes of its spec and owners. */
  const mirror = (spec: object = {}, owners: object[] = [owner]) =>
    pod('static', { nodeName: 'n1', ...spec }, { annotations: { 'kubernetes.io/config.mirror': 'hash' }, ownerReferences: owners });
  /** Requests a token bound to a pod. */
  const token = (audiences: string[], bound: object = {}) => {
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: mine.metadata?.uid, ...bound };
    return ask('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', { spec: { audiences, boundObjectRef } });
  };
  return { server, ask, owner, mirror, token, otherUid: other.metadata?.uid };
}
