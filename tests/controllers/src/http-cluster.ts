import { Agent, request as httpsRequest } from 'node:https';
import { systemClock } from '@nodeagent/api';
import type { Answer, ChangeType, Cluster, Listener, Request } from './cluster.js';

/** How to connect to a cluster. */
export interface Connection {
  url: string;
  /** Without it the server's certificate is not verified. */
  ca?: string;
  token?: string;
  cert?: string;
  key?: string;
}

/** A running cluster, in real time. */
export function createHttpCluster({ url, token, ca, cert, key }: Connection): Cluster {
  const agent = new Agent({ keepAlive: true, maxSockets: 200, rejectUnauthorized: ca !== undefined, ca, cert, key });
  const authorization = token && { authorization: `Bearer ${token}` };
  const open = new Set<() => void>();
  const send = ({ method, path, body, contentType }: Request) => {
    const type = contentType ?? (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');
    const content = body === undefined ? '' : JSON.stringify(body);
    // Without a length the body of a DELETE would not be read.
    const length = String(Buffer.byteLength(content));
    const headers = { ...authorization, 'content-type': type, 'content-length': length, accept: 'application/json' };
    const sent = httpsRequest(url + path, { method, agent, headers });
    sent.end(content);
    return sent;
  };
  return {
    request: (request) =>
      new Promise<Answer>((resolve, reject) => {
        send(request)
          .on('error', reject)
          .on('response', (response) => {
            let text = '';
            response.setEncoding('utf8');
            response.on('data', (piece) => {
              text += piece;
            });
            response.on('error', reject);
            response.on('end', () => resolve({ code: response.statusCode ?? 0, body: parse(text) }));
          });
      }),
    watch: (path, listener) =>
      new Promise<void>((resolve, reject) => {
        const sent = send({ method: 'GET', path: `${path}?watch=true&timeoutSeconds=3600` });
        open.add(() => sent.destroy());
        sent.on('error', reject).on('response', (response) => {
          response.setEncoding('utf8');
          response.on('error', () => {});
          eachLine(response, (line) => report(line, listener));
          resolve();
        });
      }),
    now: systemClock.now,
    sleep: (ms) => systemClock.sleep(ms),
    close() {
      for (const end of open) end();
      agent.destroy();
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text };
  }
}

function eachLine(response: NodeJS.ReadableStream, line: (text: string) => void): void {
  let rest = '';
  response.on('data', (piece) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) line(each);
  });
}

function report(line: string, listener: Listener): void {
  const { type, object } = JSON.parse(line) as { type: ChangeType; object: Parameters<Listener>[1] };
  listener(type, object);
}
