import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { idleCpu, root, startMeasuredAgent } from './agent-memory/agent-process.js';

const pods = 60;
const settleMs = 15_000;

/**
 * CPU of an idle `nodeagent run` with 60 pods on the in-memory runtime of another process: without the node page, with it and no browser, and
 * with a browser that follows it. Two agents run at the same time.
 */
export async function benchNodePage(report: (line: string) => void): Promise<void> {
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--no-types'], { stdio: 'ignore' });
  const port = await freePort();
  const flags = (of: number) => ['--port', `${of}`, '--address', '127.0.0.1', '--anonymous-auth', 'true', '--healthz-port', '0'];
  const plain = await startMeasuredAgent(pods, flags(await freePort()));
  const shown = await startMeasuredAgent(pods, [...flags(port), '--ui']);
  try {
    await Promise.all([plain.running(), shown.running()]);
    await sleep(settleMs);
    const pids = [plain.pid, shown.pid];
    const [without, unseen] = await idleCpu(pids);
    const stream = await openStream(port);
    await sleep(settleMs);
    const [still, seen] = await idleCpu(pids);
    const name = `nodeagent run with ${pods} pods, idle CPU`;
    report(`${name} without the node page: ${without} % of a core (then ${still} %)`);
    report(`${name} with the node page and no browser: ${unseen} % of a core`);
    report(`${name} with a browser on the node page: ${seen} % of a core (${stream.events()} events)`);
    stream.close();
  } finally {
    await plain.stop();
    await shown.stop();
  }
}

/** Follows the page as a browser does. */
async function openStream(port: number): Promise<{ events(): number; close(): void }> {
  const call = request({ port, host: '127.0.0.1', path: '/ui/events', rejectUnauthorized: false }).end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the stream of the page has status ${response.statusCode}`);
  let events = 0;
  response.setEncoding('utf8').on('data', (text: string) => {
    events += text.match(/^event: /gm)?.length ?? 0;
  });
  return { events: () => events, close: () => call.destroy() };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
