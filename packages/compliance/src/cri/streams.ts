import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  createSpdySession,
  dialUpgrade,
  type OpenedCommand,
  openHeaders,
  openRemoteCommand,
  portForwardProtocol,
  type RemoteCommandStreams,
} from '@nodeagent/streaming';

const forwardHeaders = ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'X-Stream-Protocol-Version', portForwardProtocol];

/** Connects to the URL of an Attach, as a kubelet does for its client. */
export async function openAttach(url: string, requested: RemoteCommandStreams): Promise<OpenedCommand> {
  return openRemoteCommand(await dial(url, openHeaders), requested);
}

/** A client of PortForward. */
export interface ForwardedPorts {
  /** Sends a text to a port and returns as much of the response; rejects with the runtime's message if there is no connection. */
  exchange(port: number, input: string): Promise<string>;
  close(): void;
}

/** Connects to the URL of a PortForward. */
export async function openForward(url: string): Promise<ForwardedPorts> {
  const session = createSpdySession({ ...(await dial(url, forwardHeaders)), role: 'client' });
  let count = 0;
  return {
    async exchange(port, input) {
      const headers = { port: `${port}`, requestid: `${count++}` };
      const error = session.open({ streamtype: 'error', ...headers });
      error.end();
      const data = session.open({ streamtype: 'data', ...headers });
      data.write(input);
      const failed = text(error).then((problem) => {
        if (problem !== '') throw new Error(problem);
      });
      // A runtime may reset the data after an error, and the error after the data.
      const answered = textOf(data, input.length);
      answered.catch(() => {});
      const answer = await Promise.race([answered, failed.then(() => answered)]);
      if (answer.length < input.length) await failed;
      return answer;
    },
    close: () => session.close(),
  };
}

async function textOf(stream: Readable, length: number): Promise<string> {
  let received = '';
  for await (const piece of stream) {
    received += String(piece);
    if (received.length >= length) break;
  }
  return received;
}

async function dial(url: string, headers: readonly string[]) {
  const answered = await dialUpgrade({ target: new URL(url), method: 'POST', headers: [...headers] });
  if (answered.socket === undefined) throw new Error(`status ${answered.answer.statusCode} of ${url}: ${await text(answered.answer)}`);
  return answered;
}
