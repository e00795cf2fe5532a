import { NodeAgentError } from '@nodeagent/api';

/** The `code` of every error of this package. Errors of the API server are `ApiError` of `@nodeagent/api` (see `apiStatusOf`). */
export const kubeClientErrorCodes = {
  /**
   * The API server is unreachable, or the connection was lost before the response was complete. Retryable. Details: `server`, and `stage`:
   * `connect` (nothing was sent), `response` (the server may have processed the request), `timeout` or `idle`.
   */
  apiUnreachable: 'ApiUnreachable',
  /** The response is not of the Kubernetes API. Details: `method`, `path`. */
  invalidApiResponse: 'InvalidApiResponse',
  /** A response exceeds the size limit. Details: `method`, `path`, `limit`. */
  responseTooLarge: 'ResponseTooLarge',
  /** A kubeconfig cannot be read or is invalid. Details: `file`, `field`. */
  invalidKubeconfig: 'InvalidKubeconfig',
  /** The process does not run in a pod: the environment or the service account's files are missing. Details: `file` or `variable`. */
  notInCluster: 'NotInCluster',
  /** A file with a token, certificate or key cannot be read. Retryable. Details: `file`. */
  credentialFile: 'CredentialFile',
  /** The credential plugin failed. Retryable. Details: `command`. */
  execPlugin: 'ExecPlugin',
  /** A name or path is not valid in a URL. Details: `field`, `value`. */
  invalidName: 'InvalidName',
} as const;

/** How far a failed call got. */
export type UnreachableStage = 'connect' | 'response' | 'timeout' | 'idle';

/** The error of an unreachable API server. */
export function unreachable(server: string, stage: UnreachableStage, problem: string, cause?: unknown): NodeAgentError {
  const hint = stage === 'connect' ? connectHint(cause) : undefined;
  return new NodeAgentError(kubeClientErrorCodes.apiUnreachable, `API server ${server}: ${problem}`, {
    retryable: true,
    details: { server, stage },
    cause,
    hint,
  });
}

function connectHint(cause: unknown): string | undefined {
  const code = String((cause as { code?: unknown } | undefined)?.code ?? '');
  if (/CERT|SELF_SIGNED|ISSUER|UNABLE_TO|ALTNAME/.test(code)) return 'check certificate-authority and tls-server-name of the cluster';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'check the name in the server URL and the DNS of this machine';
  return undefined;
}
