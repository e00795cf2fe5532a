import type { Pod, PodSpec } from '@nodeagent/api';
import { isMirrorPod } from '@nodeagent/api/helpers';
import { type ApiContext, nameSuffix } from '../context.js';
import { copyJson } from '../copy-json.js';
import { type AdmissionPlugin, isFor, objectOf } from './plugin.js';
import { refused } from './refuse.js';

/** Runs pods as a service account of their namespace, with its token and its secrets for images. */
export const serviceAccount: AdmissionPlugin = {
  name: 'ServiceAccount',
  mutate(request, context) {
    if (!isFor(request, 'create', '', 'pods')) return;
    const pod = objectOf(request) as Pod;
    const { spec } = pod;
    if (spec === undefined || isMirrorPod(pod)) return;
    const name = spec.serviceAccountName || spec.serviceAccount || 'default';
    spec.serviceAccountName = name;
    spec.serviceAccount = name;
    const { namespace } = request;
    const account = context.store.get('/serviceaccounts', namespace, name);
    if (account === undefined)
      throw refused(request, `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`);
    const secrets = account.imagePullSecrets as PodSpec['imagePullSecrets'];
    if (secrets && !spec.imagePullSecrets?.length) spec.imagePullSecrets = copyJson(secrets);
    const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
    if (context.automountServiceAccountTokens && automount) mountToken(spec, context);
  },
};

const tokenMountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Longer than an hour, by which the server recognizes the tokens that it projects itself. */
const tokenSeconds = 3607;

function mountToken(spec: PodSpec, context: ApiContext): void {
  const name = `kube-api-access-${nameSuffix(context)}`;
  const sources = [
    { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
  ];
  let used = false;
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === tokenMountPath)) continue;
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: tokenMountPath }];
    used = true;
  }
  if (used) spec.volumes = [...(spec.volumes ?? []), { name, projected: { sources, defaultMode: 0o644 } }];
}
