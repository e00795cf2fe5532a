import { NodeAgentError } from '@nodeagent/api';

/** The `code` of every error of this package. What the API server refused is `ApiError` of `@nodeagent/api` (see `apiStatusOf`). */
export const kubeClientErrorCodes = {
  /**
   * The API server could not be reached, or went away before it had answered. Retryable. Details: `server`, and `stage`:
   * `connect` (nothing was sent), `answer` (it may have been taken), `timeout` or `idle`.
   */
  apiUnreachable: 'ApiUnreachable',
  /** The server answered something that is not of the Kubernetes API. Details: `method`, `path`. */
  invalidApiAnswer: 'InvalidApiAnswer',
  /** An answer is larger than allowed. Details: `method`, `path`, `limit`. */
  answerTooLarge: 'AnswerTooLarge',
  /** A kubeconfig cannot be read or breaks a rule. Details: `file`, `field`. */
  invalidKubeconfig: 'InvalidKubeconfig',
  /** There is no cluster around: the environment or the service account's files are missing. Details: `file` or `variable`. */
  notInCluster: 'NotInCluster',
  /** A file with a token, certificate or key cannot be read. Retryable. Details: `file`. */
  credentialFile: 'CredentialFile',
  /** The credential plugin failed. Retryable. Details: `command`. */
  execPlugin: 'ExecPlugin',
  /** A name or path that cannot be part of a URL. Details: `field`, `value`. */
  invalidName: 'InvalidName',
} as const;

/** How far a call got that was not answered. */
export type UnreachableStage = 'connect' | 'answer' | 'timeout' | 'idle';

/** The error of a server that could not be reached. */
export function unreachable(server: string, stage: UnreachableStage, problem: string, cause?: unknown): NodeAgentError {
  const hint = stage === 'connect' ? connectHint(cause) : undefined;
  return new NodeAgentError(kubeClientErrorCodes.apiUnreachable, `API server ${server}: ${problem}`, {
    retryable: true,
    details: { server, stage },
    ...(cause === undefined ? {} : { cause }),
    ...(hint === undefined ? {} : { hint }),
  });
}

function connectHint(cause: unknown): string | undefined {
  const code = String((cause as { code?: unknown } | undefined)?.code ?? '');
  if (/CERT|SELF_SIGNED|ISSUER|UNABLE_TO|ALTNAME/.test(code)) return 'check certificate-authority and tls-server-name of the cluster';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'check the name in the server URL and the DNS of this machine';
  return undefined;
}
