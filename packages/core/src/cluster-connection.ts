import { apiStatusOf, errorCode, errorMessage } from '@nodeagent/api';

/** The part of an informer that tells whether it follows the API server; those of `@nodeagent/kube-client` have it. */
interface Telling {
  onEvent?(listener: (event: { type: string; error?: unknown }) => void): () => void;
}

/** Whether the API server answers. */
export interface ClusterConnection {
  /** Why it cannot be worked with; undefined when it can. */
  error(): string | undefined;
}

/** Follows an informer's connection; `onChange` is called when the answer to {@link ClusterConnection.error} has changed. */
export function createClusterConnection(
  informer: object,
  nodeName: string,
  onChange: (error: string | undefined) => void,
): ClusterConnection {
  const { onEvent } = informer as Telling;
  let error: string | undefined = onEvent ? 'the API server has not answered yet' : undefined;
  onEvent?.((event) => {
    const next = event.type === 'stale' ? clusterProblem(event.error, nodeName) : undefined;
    if (next === error) return;
    error = next;
    onChange(error);
  });
  return { error: () => error };
}

/** What is wrong and the way out, in one line. Kubernetes documentation, "Using Node Authorization". */
export function clusterProblem(error: unknown, nodeName: string): string {
  const { code } = apiStatusOf(error) ?? {};
  const text = errorMessage(error);
  if (code === 401) return `the API server does not accept the credentials: ${text}; are they expired, or of another cluster?`;
  if (code === 403) return `forbidden: ${text}; is the identity system:node:${nodeName}, in the group system:nodes?`;
  const hint = (error as { hint?: unknown } | undefined)?.hint;
  const reason = errorCode(error) === 'ApiUnreachable' ? `cannot reach ${text}` : text;
  return typeof hint === 'string' ? `${reason} (${hint})` : reason;
}
