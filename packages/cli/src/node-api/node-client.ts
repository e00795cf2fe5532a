import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { errorCode, errorMessage, NodeAgentError, type Pod } from '@nodeagent/api';
import type { PodsAnswer } from '../local-api/answers.js';
import type { NodeAddress } from './node-address.js';

/** How long the node may say nothing before it answers, in milliseconds. */
const patienceMs = 30_000;

/** What the node's certificate is not trusted for. */
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/;

/** The URL of something below the node's address, by the parts of its path. */
export function nodeUrl({ url }: NodeAddress, parts: readonly string[], query = new URLSearchParams()): URL {
  const target = new URL(url);
  target.pathname = [url.pathname.replace(/\/$/, ''), ...parts.map(encodeURIComponent)].join('/');
  target.search = query.toString();
  return target;
}

/** The header that shows who asks. */
export const authorization = ({ token }: NodeAddress): string[] => (token === undefined ? [] : ['Authorization', `Bearer ${token}`]);

/** Asks the node; resolves once it begins to answer. Rejects with `NODE_UNREACHABLE`, or `NODE_REFUSED` with what it says. */
export async function askNode(address: NodeAddress, target: URL, signal?: AbortSignal): Promise<IncomingMessage> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = target.protocol === 'https:' ? requestHttps : requestHttp;
    const { token, tls } = address;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const call = request(target, { ...tls, headers, agent: false, ...(signal && { signal }) }, resolve);
    call.setTimeout(patienceMs, () => call.destroy(new Error(`no answer within ${patienceMs / 1000} s`)));
    call.on('error', (error) => reject(unreachable(target, error)));
    call.end();
  });
  // What is followed may be silent for long.
  answer.socket.setTimeout(0);
  if (answer.statusCode === 200) return answer;
  throw await refusal(target, answer);
}

/** Why there is no connection. */
export function unreachable(target: URL, cause: unknown): NodeAgentError {
  const isUntrusted = untrusted.test(errorCode(cause) ?? '');
  const hint = isUntrusted && 'name who signed its certificate with --certificate-authority, or take any with --insecure-skip-tls-verify';
  return new NodeAgentError('NODE_UNREACHABLE', `cannot ask ${target.origin}: ${errorMessage(cause)}`, { cause, ...(hint && { hint }) });
}

/** The error of an answer that is not what was asked for. */
export async function refusal({ origin }: URL, answer: IncomingMessage): Promise<NodeAgentError> {
  const { statusCode } = answer;
  const said = (await text(answer)).trim().split('\n')[0] ?? '';
  const hint =
    statusCode === 401
      ? { hint: 'show who asks with --token-file, or --client-certificate and --client-key' }
      : statusCode === 403
        ? { hint: 'who asks needs the right to nodes/proxy, or to the finer resource that is named' }
        : {};
  return new NodeAgentError('NODE_REFUSED', `${origin} answers ${statusCode}${said && `: ${said}`}`, hint);
}

/** The pods of the node, in the words of the agent's own socket as far as the node tells of them. */
export async function askNodeForPods(address: NodeAddress, now: number): Promise<PodsAnswer> {
  const answer = await askNode(address, nodeUrl(address, ['pods']));
  const { items } = JSON.parse(await text(answer)) as { items: Pod[] | null };
  const pods = (items ?? []).map((pod) => ({ pod, status: pod.status ?? {}, state: undefined, lastEvent: undefined }));
  const node = pods[0]?.pod.spec?.nodeName ?? address.url.hostname;
  return { now, node, runtime: address.url.host, runtimeErrors: [], podLogsDir: '', pulls: [], pods };
}
