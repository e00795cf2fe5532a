import { errorCode, errorMessage, type Logger, type Pod } from '@nodeagent/api';
import type { PathTarget } from '../endpoint-path.js';
import { answerText } from '../http/answers.js';
import type { Exchange, Handler } from '../http/exchange.js';
import type { NodePods, RequestedStreams } from '../ports.js';
import type { RelayStreamOptions } from '../relay-stream.js';
import { findPod, hasUid } from './find-pod.js';

export interface StreamPorts {
  pods: NodePods;
  /** `relayStream`. */
  relay(options: RelayStreamOptions): void;
  logger: Logger;
  /** The server's end. */
  ended: AbortSignal;
}

type UrlOf = (pod: Pod, container: string, streams: RequestedStreams, exchange: Exchange) => Promise<URL>;

type StreamsOf = (pod: Pod, container: string, asked: RequestedStreams) => RequestedStreams;

/** Handles requests for the streams of a process in a container. */
export function streamHandler(
  ports: StreamPorts,
  urlOf: UrlOf,
  streamsOf: StreamsOf = (_pod, _container, asked) => asked,
): Handler<{ target: PathTarget }> {
  return async (exchange, { target }) => {
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

/** With a terminal there is no separate stderr; undefined if no stream is requested. */
function requestedStreams(query: URLSearchParams): RequestedStreams | undefined {
  const isAsked = (name: string) => query.get(name) === '1';
  const streams = withTerminal(
    { stdin: isAsked('input'), stdout: isAsked('output'), stderr: isAsked('error'), tty: false },
    isAsked('tty'),
  );
  return streams.stdin || streams.stdout || streams.stderr ? streams : undefined;
}

/** The streams of a process with or without a terminal. */
export const withTerminal = (streams: RequestedStreams, tty: boolean): RequestedStreams => ({
  ...streams,
  stderr: streams.stderr && !tty,
  tty,
});

/** Relays the connection to the URL of the runtime. */
export async function relayTo(
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
