import { apiStatusError, type Clock, type StatsProvider } from '@nodeagent/api';
import type { MemoryContainer, MemoryRuntime } from '@nodeagent/memory-runtime';
import { summaryJson } from '@nodeagent/stats';
import { type ApiRequest, type ApiResponse, type InProcessNodeServer, textResponse } from '@nodeagent/test-api-server';
import { type LogSelection, logText, readLogSelection } from './log-selection.js';

/** Poll period of a followed log. */
const followMs = 500;

export interface SimulatedServerOptions {
  clock: Clock;
  runtime: MemoryRuntime;
  stats: Pick<StatsProvider, 'summary' | 'resourceMetrics'>;
  /** Whether the node is reachable. */
  reachable(): boolean;
}

/** The node's HTTP server for the API server, based on the memory runtime: logs, commands and stats. */
export function createSimulatedServer({ clock, runtime, stats, reachable }: SimulatedServerOptions): InProcessNodeServer {
  const latest = (namespace: string, pod: string, name: string, previous = false): MemoryContainer => {
    const runs = runtime.containers(name).filter((each) => each.namespace === namespace && each.pod === pod);
    const found = runs.sort((a, b) => a.attempt - b.attempt).at(previous ? -2 : -1);
    if (found) return found;
    throw refusal(400, `${previous ? 'previous terminated ' : ''}container "${name}" in pod "${pod}" not found`);
  };
  const requireReachable = () => {
    if (!reachable()) throw refusal(503, 'error trying to reach service: dial tcp: connect: connection refused');
  };

  async function* follow(id: string, from: number, log: LogSelection, signal: AbortSignal | undefined): AsyncIterable<string> {
    let sent = from;
    let { limitBytes } = log;
    while (limitBytes > 0) {
      const container = runtime.containers().find((each) => each.id === id);
      if (container === undefined) return;
      const lines = runtime.logEntries(id);
      const text = logText(lines.slice(sent), { ...log, limitBytes });
      if (text !== '') yield text;
      limitBytes -= encoder.encode(text).length;
      sent = lines.length;
      if (container.state === 'exited') return;
      try {
        await clock.sleep(followMs, signal);
      } catch {
        return;
      }
    }
  }
  const logs = ({ signal }: ApiRequest, [namespace = '', pod = '', name = '']: string[], query: URLSearchParams): ApiResponse => {
    const { id } = latest(namespace, pod, name, query.get('previous') === 'true');
    const log = readLogSelection(query, clock.now());
    const lines = runtime.logEntries(id);
    const start = Math.max(0, lines.length - log.tailLines);
    const answer = textResponse(200, logText(lines.slice(start), log));
    return query.get('follow') === 'true' ? { ...answer, body: follow(id, start, log, signal) } : answer;
  };

  return {
    async handle(request) {
      requireReachable();
      const { pathname, searchParams } = new URL(request.url, 'http://node');
      const [, root, ...rest] = pathname.split('/').map(decodeURIComponent);
      if (root === 'containerLogs') return logs(request, rest, searchParams);
      const signal = request.signal ?? new AbortController().signal;
      if (pathname === '/stats/summary') {
        return {
          ...textResponse(200, summaryJson(await stats.summary({ fresh: true, signal }))),
          headers: { 'content-type': 'application/json' },
        };
      }
      if (pathname === '/metrics/resource') return textResponse(200, await stats.resourceMetrics({ signal }));
      if (pathname === '/healthz') return textResponse(200, 'ok');
      throw refusal(404, '404 page not found');
    },
    async exec({ namespace, pod, container, command, signal }) {
      requireReachable();
      const { id } = latest(namespace, pod, container);
      const { exitCode, stdout, stderr } = await runtime.runtime.execSync({ containerId: id, cmd: command, timeout: 0n }, { signal });
      return { exitCode, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
    },
  };
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const refusal = (code: number, message: string) =>
  apiStatusError({ code, reason: code === 404 ? 'NotFound' : code === 503 ? 'ServiceUnavailable' : 'BadRequest', message });
