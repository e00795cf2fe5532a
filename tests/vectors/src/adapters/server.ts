import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Pod, systemClock } from '@nodeagent/api';
import type { HealthCheckResult, NodeLogs } from '@nodeagent/server';
import {
  containerLogsHandler,
  type Exchange,
  healthzAnswer,
  parseContainerLogsRequest,
  requestAttributes,
  requestLabels,
} from '@nodeagent/server/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';
import { logChoiceText } from '../masks.js';

const urlOf = (text: string) => new URL(text, 'http://localhost');

function attributes({ method, path, nodeName }: { method: string; path: string; nodeName: string }) {
  const { method: metricMethod, path: metricPath, longRunning } = requestLabels(method, path);
  return { ...requestAttributes(method, path, nodeName), metricMethod, metricPath, longRunning };
}

const names = ['app', 'init', 'dbg'];
const [app, init, dbg] = names.map((name) => ({ name }));

/** The pod of the recordings. Each container runs, and ran before. */
const web: Pod = {
  metadata: { namespace: 'ns', name: 'web' },
  spec: { containers: [app], initContainers: [init], ephemeralContainers: [dbg] } as Pod['spec'],
};
const statuses = names.map((name) => ({
  name,
  state: { running: {} },
  lastState: { terminated: { containerID: `cri://${name}-0`, exitCode: 0 } },
  containerID: `cri://${name}-1`,
  ready: true,
  restartCount: 1,
  image: '',
  imageID: '',
}));

/** What reading a log yields; a log that cannot be read belongs to a container without a status. */
const logs: Record<string, () => AsyncGenerator<Uint8Array>> = {
  async *ok() {
    yield Buffer.from('hello\n');
  },
  async *errorAfterWrite() {
    yield Buffer.from('part');
    throw new Error('boom');
  },
};

async function containerLogs({ url, reader }: { url: string; reader: string }) {
  const { pathname, searchParams: query } = urlOf(url);
  const [, , namespace = '', podName = '', containerName = ''] = pathname.split('/');
  const read = logs[reader];
  const pods = { pods: () => [web], podStatus: () => (read ? { containerStatuses: statuses } : {}) };
  const handle = containerLogsHandler(pods, { read: read ?? logs.ok } as NodeLogs, systemClock);
  const target = { namespace, pod: podName, container: containerName };
  const answer = await answerOf(url, (exchange) =>
    handle({ ...exchange, path: pathname, query, signal: new AbortController().signal, isAllowed: async () => true }, { target }),
  );
  const pod = namespace === 'ns' && podName === 'web' ? web : undefined;
  const wanted = parseContainerLogsRequest({ podName, containerName, query, pod });
  return { ...('options' in wanted && wanted), ...answer };
}

type Serve = (exchange: Pick<Exchange, 'request' | 'response'>) => void | Promise<void>;

/** What a client gets from a server. */
async function answerOf(path: string, serve: Serve): Promise<{ status: number; body: string }> {
  const server = createServer(async (request, response) => {
    try {
      await serve({ request, response });
    } catch {
      response.destroy();
    }
  });
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    return { status: response.status, body: await response.text() };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function healthz({ url, checks }: { url: string; checks: HealthCheckResult[] }) {
  const { pathname, searchParams } = urlOf(url);
  return healthzAnswer(pathname, searchParams, checks);
}

export const serverAdapters: Adapter[] = [
  defineAdapter('server-auth-attributes', attributes),
  defineAdapter('server-container-logs-request', containerLogs, { masks: [logChoiceText] }),
  defineAdapter('server-healthz', healthz),
];
