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

/**
 * Follows the connections of informers; `onChange` is called when the answer to {@link ClusterConnection.error} has changed. One that
 * comes about shows that the server can be reached, which the others may find out a minute later; that it refuses something still counts.
 */
export function createClusterConnection(
  informers: readonly object[],
  nodeName: string,
  onChange: (error: string | undefined) => void,
): ClusterConnection {
  const telling = informers.filter((informer): informer is Required<Telling> => (informer as Telling).onEvent !== undefined);
  const problems = new Map<object, unknown>();
  let current: string | undefined = telling.length > 0 ? 'the API server has not answered yet' : undefined;
  for (const informer of telling) {
    informer.onEvent(({ type, error }) => {
      if (type === 'stale') problems.set(informer, error);
      else problems.delete(informer);
      if (type === 'connected') {
        for (const [other, problem] of problems) if (errorCode(problem) === 'ApiUnreachable') problems.delete(other);
      }
      const [first] = problems.values();
      const next = first === undefined ? undefined : clusterProblem(first, nodeName);
      if (next === current) return;
      current = next;
      onChange(current);
    });
  }
  return { error: () => current };
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
