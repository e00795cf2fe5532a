import { encodeBase64, encodeUtf8 } from '@nodeagent/api/helpers';

/** Server and user of a kubeconfig. */
export interface KubeconfigInput {
  server: string;
  /** PEM; absent for plain HTTP. */
  ca?: string;
  /** A bearer token, or a client certificate and its key, PEM. */
  credentials?: { token: string } | { cert: string; key: string };
  namespace?: string;
}

const base64 = (text: string) => encodeBase64(encodeUtf8(text));

/** A kubeconfig as JSON, which is YAML: Kubernetes documentation, "Organizing Cluster Access Using kubeconfig Files". */
export function kubeconfigText({ server, ca, credentials, namespace }: KubeconfigInput): string {
  const user =
    credentials === undefined
      ? {}
      : 'token' in credentials
        ? { token: credentials.token }
        : { 'client-certificate-data': base64(credentials.cert), 'client-key-data': base64(credentials.key) };
  // Some clients use plain HTTP only with insecure-skip-tls-verify.
  const security = ca ? { 'certificate-authority-data': base64(ca) } : { 'insecure-skip-tls-verify': true };
  const name = 'test';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...security } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace && { namespace }) } }],
    'current-context': name,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
