import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { freePort } from '../../support/free-port.js';
import { removeFolder } from '../../support/remove-folder.js';
import { until } from '../../support/until.js';
import type { Order } from './agent.js';
import type { Readings } from './meter.js';

const program = fileURLToPath(new URL('./agent.ts', import.meta.url));

/** An agent as a separate process, with all of its listeners. */
export interface Victim {
  readonly pid: number;
  readonly manifests: string;
  readonly ports: { https: number; readOnly: number; healthz: number };
  readonly sockets: { cri: string; deviceRegistration: string; podResources: string; agent: string };
  /** The folder in which device plugins have their sockets. */
  readonly devicePlugins: string;
  /** A client that may do everything, and the CA of the server. */
  readonly admin: { cert: string; key: string; ca: string };
  /** What it measured while `attack` ran. Rejects if it ended. */
  measure(attack: () => Promise<void>): Promise<Readings>;
  /** Lets it call the runtime of a socket and read its events slowly; the error of that. */
  readEvents(socket: string): Promise<string>;
  /** Lets it probe a gRPC server on a port; the result. */
  probe(port: number): Promise<string>;
  stop(): Promise<void>;
}

/** Starts an agent on a runtime in memory. */
export async function startVictim(): Promise<Victim> {
  const dir = mkdtempSync(join(tmpdir(), 'victim-'));
  const [root, manifests, pki] = ['root', 'manifests', 'pki'].map((name) => join(dir, name)) as [string, string, string];
  for (const folder of [manifests, pki]) mkdirSync(folder);
  const authority = createTestAuthority();
  const serving = authority.issueServer(['localhost']);
  const files = { ca: authority.cert, cert: serving.cert, key: serving.key };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(pki, name), text);
  const ports = { https: await freePort(), readOnly: await freePort(), healthz: await freePort() };
  const cri = join(dir, 'cri.sock');
  const flags = [
    ...['--runtime-endpoint', `unix://${cri}`, '--root-dir', root, '--pod-logs-dir', join(dir, 'logs'), '--manifests', manifests],
    ...['--node-name', 'victim', '--cgroups-per-qos=false', '--device-plugins', '--address', '127.0.0.1'],
    ...['--port', `${ports.https}`, '--read-only-port', `${ports.readOnly}`, '--healthz-port', `${ports.healthz}`],
    ...['--tls-cert-file', join(pki, 'cert'), '--tls-private-key-file', join(pki, 'key'), '--client-ca-file', join(pki, 'ca')],
  ];
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', program, cri, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exited = once(child, 'exit');
  let output = '';
  const ended = exited.then(([code, signal]) => {
    throw new Error(`the victim ended with ${code ?? signal}: ${output}`);
  });
  ended.catch(() => {});
  const sockets = {
    cri,
    deviceRegistration: join(root, 'device-plugins', 'kubelet.sock'),
    podResources: join(root, 'pod-resources', 'kubelet.sock'),
    agent: join(root, 'agent.sock'),
  };
  await Promise.race([ended, runs(child, (text) => (output = `${output}${text}\n`.slice(-4_000)))]);
  await until('the sockets of the victim', async () => Object.values(sockets).every((socket) => existsSync(socket)));

  async function ask<T>(message: Order): Promise<T> {
    const answer = once(child, 'message');
    child.send(message);
    return ((await Promise.race([answer, ended])) as [T])[0];
  }

  return {
    pid: child.pid ?? 0,
    manifests,
    ports,
    sockets,
    devicePlugins: join(root, 'device-plugins'),
    admin: { ...authority.issueClient({ commonName: 'admin', organizations: ['system:masters'] }), ca: authority.cert },
    async measure(attack) {
      await ask({ kind: 'begin' });
      await attack();
      return ask<Readings>({ kind: 'end' });
    },
    readEvents: async (socket) => (await ask<{ error: string }>({ kind: 'cri', socket })).error,
    probe: async (port) => (await ask<{ result: string }>({ kind: 'probe', port })).result,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      removeFolder(dir);
    },
  };
}

/** Resolves when the agent logs that it runs; keeps what it prints. */
async function runs(child: ChildProcess, keep: (line: string) => void): Promise<void> {
  if (!child.stdout || !child.stderr) return;
  createInterface(child.stderr).on('line', keep);
  const lines = createInterface(child.stdout);
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      keep(line);
      if (line.includes('pods from')) resolve();
    });
  });
}
