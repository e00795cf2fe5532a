import type { Pod } from '@nodeagent/api';
import type { HealthCheckResult } from '@nodeagent/server';
import { healthzAnswer, parseContainerLogsRequest, requestAttributes, requestLabels } from '@nodeagent/server/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

const urlOf = (text: string) => new URL(text, 'http://localhost');

function attributes({ method, path, nodeName }: { method: string; path: string; nodeName: string }) {
  const { method: metricMethod, path: metricPath, longRunning } = requestLabels(method, path);
  return { ...requestAttributes(method, path, nodeName), metricMethod, metricPath, longRunning };
}

/** The pod of the recordings. */
const web: Pod = {
  metadata: { namespace: 'ns', name: 'web' },
  spec: { containers: [{ name: 'app' }], initContainers: [{ name: 'init' }], ephemeralContainers: [{ name: 'dbg' }] },
};

/** What a reader of logs then does, and what has been answered by that time. */
const readers: Record<string, { status: number; body: string }> = {
  ok: { status: 200, body: 'hello\n' },
  error: { status: 400, body: 'boom' },
  errorAfterWrite: { status: 200, body: 'partboom' },
};

function containerLogs({ url, reader }: { url: string; reader: string }) {
  const { pathname, searchParams: query } = urlOf(url);
  const [, , namespace, podName = '', containerName = ''] = pathname.split('/');
  const pod = namespace === 'ns' && podName === 'web' ? web : undefined;
  const wanted = parseContainerLogsRequest({ podName, containerName, query, pod });
  return 'options' in wanted ? { ...wanted, ...readers[reader] } : wanted;
}

function healthz({ url, checks }: { url: string; checks: HealthCheckResult[] }) {
  const { pathname, searchParams } = urlOf(url);
  return healthzAnswer(pathname, searchParams, checks);
}

export const serverAdapters: Adapter[] = [
  defineAdapter('server-auth-attributes', attributes),
  defineAdapter('server-container-logs-request', containerLogs),
  defineAdapter('server-healthz', healthz),
];
