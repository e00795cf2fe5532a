import { apiStatusOf, errorCode, errorMessage } from '@nodeagent/api';

/** The part of an informer that reports its connection to the API server; informers of `@nodeagent/kube-client` have it. */
interface ReportsConnection {
  onEvent?(listener: (event: { type: string; error?: unknown }) => void): () => void;
}

/** Whether the API server is reachable and accepts the agent's requests. */
export interface ClusterConnection {
  /** Why the API server does not serve the agent; undefined while it does. */
  error(): string | undefined;
}

/**
 * Follows the connections of informers; calls `onChange` when the result of {@link ClusterConnection.error} changes. One successful
 * connection shows that the server is reachable, which other informers may notice only a minute later; refusals (401, 403) of other
 * informers still count.
 */
export function createClusterConnection(
  informers: readonly object[],
  nodeName: string,
  onChange: (error: string | undefined) => void,
): ClusterConnection {
  const reporting = informers.filter(
    (informer): informer is Required<ReportsConnection> => (informer as ReportsConnection).onEvent !== undefined,
  );
  const problems = new Map<object, unknown>();
  let current: string | undefined = reporting.length > 0 ? 'the API server has not answered yet' : undefined;
  for (const informer of reporting) {
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

/** The error and its remedy in one line. Kubernetes documentation, "Using Node Authorization". */
export function clusterProblem(error: unknown, nodeName: string): string {
  const { code } = apiStatusOf(error) ?? {};
  const text = errorMessage(error);
  if (code === 401) return `the API server does not accept the credentials: ${text}; are they expired, or of another cluster?`;
  if (code === 403) return `forbidden: ${text}; is the identity system:node:${nodeName}, in the group system:nodes?`;
  const hint = (error as { hint?: unknown } | undefined)?.hint;
  const reason = errorCode(error) === 'ApiUnreachable' ? `cannot reach ${text}` : text;
  return typeof hint === 'string' ? `${reason} (${hint})` : reason;
}
