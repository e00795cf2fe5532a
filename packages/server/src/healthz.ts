import { quoteText } from '@nodeagent/api/helpers';

/** A health check and its result. */
export interface HealthCheckResult {
  name: string;
  /** Absent if the check passed. Only the response of the individual check contains it. */
  error?: string;
}

export interface HealthAnswer {
  status: 200 | 404 | 500;
  contentType: 'text/plain; charset=utf-8';
  body: string;
}

/**
 * The response to `/healthz` or `/healthz/NAME`; undefined for any other path. Checks are reported in order. `exclude` (repeatable) omits
 * checks, and `verbose` includes passed ones: Kubernetes documentation, API health endpoints.
 */
export function healthzAnswer(path: string, query: URLSearchParams, checks: readonly HealthCheckResult[]): HealthAnswer | undefined {
  if (path === '/healthz') return allChecks(query, checks);
  if (!path.startsWith('/healthz/')) return undefined;
  const check = checks.find(({ name }) => path === `/healthz/${name}`);
  if (check === undefined) return answer(404, '404 page not found\n');
  return check.error === undefined ? answer(200, 'ok') : answer(500, `internal server error: ${check.error}\n`);
}

function allChecks(query: URLSearchParams, checks: readonly HealthCheckResult[]): HealthAnswer {
  const excluded = new Set(query.getAll('exclude'));
  const lines = checks.map(({ name, error }) => {
    if (excluded.has(name)) return `[+]${name} excluded: ok\n`;
    return error === undefined ? `[+]${name} ok\n` : `[-]${name} failed: reason withheld\n`;
  });
  const unmatched = [...excluded].filter((name) => !checks.some((check) => check.name === name)).sort();
  if (unmatched.length > 0) {
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unmatched.map((name) => quoteText(name)).join(',')}\n`);
  }
  const hasFailed = checks.some(({ name, error }) => error !== undefined && !excluded.has(name));
  if (hasFailed) return answer(500, `${lines.join('')}healthz check failed\n`);
  return answer(200, query.has('verbose') ? `${lines.join('')}healthz check passed\n` : 'ok');
}

function answer(status: HealthAnswer['status'], body: string): HealthAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}
