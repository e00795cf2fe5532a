import { errorCode, errorMessage, findContainer, type Logger, type Pod } from '@nodeagent/api';
import { answerText } from '../http/answers.js';
import type { Exchange, Handler } from '../http/exchange.js';
import type { NodePods, NodeStreaming, RequestedStreams } from '../ports.js';
import type { RelayStreamOptions } from '../relay-stream.js';
import type { PathTarget } from '../route.js';
import { findPod, hasUid } from './find-pod.js';
import { readPorts } from './read-ports.js';

export interface StreamPorts {
  pods: NodePods;
  streaming: NodeStreaming;
  /** `relayStream`. */
  relay(options: RelayStreamOptions): void;
  logger: Logger;
  /** The server's end. */
  ended: AbortSignal;
}

/** `/exec/...` */
export const execHandler = (ports: StreamPorts): Handler<PathTarget> =>
  streamHandler(ports, (pod, container, streams, { query, signal }) =>
    ports.streaming.execUrl(pod, container, query.getAll('command'), streams, signal),
  );

/** `/attach/...` */
export const attachHandler = (ports: StreamPorts): Handler<PathTarget> =>
  streamHandler(
    ports,
    (pod, container, streams, { signal }) => ports.streaming.attachUrl(pod, container, streams, signal),
    (pod, container, streams) => withTerminal(streams, findContainer(pod, container)?.tty === true),
  );

type UrlOf = (pod: Pod, container: string, streams: RequestedStreams, exchange: Exchange) => Promise<URL>;

type StreamsOf = (pod: Pod, container: string, asked: RequestedStreams) => RequestedStreams;

function streamHandler(ports: StreamPorts, urlOf: UrlOf, streamsOf: StreamsOf = (_pod, _container, asked) => asked): Handler<PathTarget> {
  return async (exchange, target) => {
    const { response, query } = exchange;
    const asked = requestedStreams(query);
    if (asked === undefined) return answerText(response, 400, 'you must specify at least 1 of stdin, stdout, stderr');
    const pod = findPod(ports.pods, target);
    if (pod === undefined) return answerText(response, 404, 'pod does not exist');
    const { container, uid } = target;
    if (!hasUid(ports.pods, pod, uid)) return answerText(response, 500, `container not found (${JSON.stringify(container)})`);
    const streams = streamsOf(pod, container, asked);
    await relayTo(ports, exchange, () => urlOf(pod, container, streams, exchange), streams);
  };
}

/** `/portForward/...` */
export function portForwardHandler(ports: StreamPorts): Handler<PathTarget> {
  return async (exchange, target) => {
    const { request, response, query, signal } = exchange;
    const wanted = readPorts(request.headers, query);
    if ('error' in wanted) return answerText(response, 400, wanted.error);
    const pod = findPod(ports.pods, target);
    if (pod === undefined) return answerText(response, 404, 'pod does not exist');
    if (!hasUid(ports.pods, pod, target.uid)) return answerText(response, 404, 'pod not found');
    await relayTo(ports, exchange, () => ports.streaming.portForwardUrl(pod, wanted.ports, signal));
  };
}

/** With a terminal there is no separate error output; undefined if nothing is asked for. */
export function requestedStreams(query: URLSearchParams): RequestedStreams | undefined {
  const isAsked = (name: string) => query.get(name) === '1';
  const streams = withTerminal(
    { stdin: isAsked('input'), stdout: isAsked('output'), stderr: isAsked('error'), tty: false },
    isAsked('tty'),
  );
  return streams.stdin || streams.stdout || streams.stderr ? streams : undefined;
}

const withTerminal = (streams: RequestedStreams, tty: boolean): RequestedStreams => ({ ...streams, stderr: streams.stderr && !tty, tty });

async function relayTo(
  { relay, logger, ended }: StreamPorts,
  exchange: Exchange,
  urlOf: () => Promise<URL>,
  streams?: RequestedStreams,
): Promise<void> {
  const { request, response, signal, upgrade } = exchange;
  if (upgrade === undefined) return answerText(response, 500, 'Upgrade request required');
  let target: URL;
  try {
    target = await urlOf();
  } catch (error) {
    signal.throwIfAborted();
    const code = errorCode(error);
    if (code === 'CRI_NOT_FOUND') return answerText(response, 404, errorMessage(error));
    if (code === 'CRI_RESOURCE_EXHAUSTED') return answerText(response, 429, errorMessage(error), { 'retry-after': '60' });
    return answerText(response, 500, errorMessage(error));
  }
  relay({ request, ...upgrade.take(), target, signal: ended, logger, ...(streams && { streams }) });
}
