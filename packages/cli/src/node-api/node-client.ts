import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { errorCode, errorMessage, NodeAgentError, type Pod } from '@nodeagent/api';
import type { PodsAnswer } from '../local-api/answers.js';
import type { NodeAddress } from './node-address.js';

/** Time without an answer after which a request fails, in milliseconds. */
const timeoutMs = 30_000;

/** Error codes of an untrusted node certificate. */
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/;

/** The URL of path segments below the node's address. */
export function nodeUrl({ url }: NodeAddress, parts: readonly string[], query = new URLSearchParams()): URL {
  const target = new URL(url);
  target.pathname = [url.pathname.replace(/\/$/, ''), ...parts.map(encodeURIComponent)].join('/');
  target.search = query.toString();
  return target;
}

/** The authorization header, if there is a token. */
export const authorization = ({ token }: NodeAddress): string[] => (token === undefined ? [] : ['Authorization', `Bearer ${token}`]);

/**
 * Sends a request to the node; resolves with the response headers. Rejects with `NODE_UNREACHABLE`, or `NODE_REFUSED` with the node's
 * message.
 */
export async function requestNode(address: NodeAddress, target: URL, signal?: AbortSignal): Promise<IncomingMessage> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = target.protocol === 'https:' ? requestHttps : requestHttp;
    const { token, tls } = address;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const call = request(target, { ...tls, headers, agent: false, ...(signal && { signal }) }, resolve);
    call.setTimeout(timeoutMs, () => call.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    call.on('error', (error) => reject(unreachable(target, error)));
    call.end();
  });
  // A followed log may be idle for long.
  answer.socket.setTimeout(0);
  if (answer.statusCode === 200) return answer;
  throw await refusal(target, answer);
}

/** The error of a failed connection. */
export function unreachable(target: URL, cause: unknown): NodeAgentError {
  const isUntrusted = untrusted.test(errorCode(cause) ?? '');
  const hint = isUntrusted && 'set --certificate-authority to the CA of its certificate, or accept any with --insecure-skip-tls-verify';
  return new NodeAgentError('NODE_UNREACHABLE', `cannot reach ${target.origin}: ${errorMessage(cause)}`, { cause, ...(hint && { hint }) });
}

/** The error of an unexpected status code. */
export async function refusal({ origin }: URL, answer: IncomingMessage): Promise<NodeAgentError> {
  const { statusCode } = answer;
  const detail = (await text(answer)).trim().split('\n')[0] ?? '';
  const hint =
    statusCode === 401
      ? { hint: 'authenticate with --token-file, or --client-certificate and --client-key' }
      : statusCode === 403
        ? { hint: 'the user needs access to nodes/proxy, or to the subresource in the message' }
        : {};
  return new NodeAgentError('NODE_REFUSED', `${origin} answers ${statusCode}${detail && `: ${detail}`}`, hint);
}

/** Gets the pods of the node, in the form of the local API as far as the node reports them. */
export async function fetchNodePods(address: NodeAddress, now: number): Promise<PodsAnswer> {
  const answer = await requestNode(address, nodeUrl(address, ['pods']));
  const { items } = JSON.parse(await text(answer)) as { items: Pod[] | null };
  const pods = (items ?? []).map((pod) => ({ pod, status: pod.status ?? {}, state: undefined, lastEvent: undefined }));
  const node = pods[0]?.pod.spec?.nodeName ?? address.url.hostname;
  return { now, node, runtime: address.url.host, runtimeErrors: [], podLogsDir: '', pulls: [], pods };
}
