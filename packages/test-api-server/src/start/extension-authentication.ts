import type { ApiContext } from '../context.js';
import { startObject } from './start-object.js';

const name = 'extension-apiserver-authentication';
const namespace = 'kube-system';

/** The common name of the certificate with which this server calls aggregated API servers. */
export const frontProxyName = 'front-proxy-client';

/**
 * Creates what aggregated API servers need to authenticate requests of this server and of its users, and the Role to read it: Kubernetes
 * documentation, "Configure the Aggregation Layer".
 */
export function createExtensionAuthentication(context: ApiContext, ca: string): void {
  const data = {
    'client-ca-file': ca,
    'requestheader-allowed-names': `["${frontProxyName}"]`,
    'requestheader-client-ca-file': ca,
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  };
  startObject(context, '/configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
  const metadata = {
    ...{ name: `${name}-reader`, namespace },
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
  const rules = [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps'], resourceNames: [name] }];
  const kind = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' };
  startObject(context, 'rbac.authorization.k8s.io/roles', { ...kind, metadata, rules });
}
