import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeAssets } from '@nodeagent/envtest';
import { issueCertificate } from '@nodeagent/x509/node';
import { cpuSeconds } from './beside-kubelet/process-tree.js';

const rounds = 5;

/**
 * The start of etcd and kube-apiserver as envtest starts them, until the namespace `default` is there: of the stand-ins and, if their folder is in
 * `NODEAGENT_ENVTEST_ASSETS`, of the real programs, by turns.
 */
export async function benchEnvtest(report: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-envtest-'));
  const real = process.env.NODEAGENT_ENVTEST_ASSETS;
  const programs = { 'the stand-ins': writeAssets({ folder: join(folder, 'bin') }), ...(real && { 'etcd and kube-apiserver': real }) };
  const usages = new Map<string, Usage[]>(Object.keys(programs).map((name) => [name, []]));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [name, assets] of Object.entries(programs)) usages.get(name)?.push(await measureStart(assets, folder));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  for (const [name, each] of usages) {
    const range = (of: (one: Usage) => number, digits: number) => {
      const values = each.map(of).sort((a, b) => a - b);
      return `${values[0]?.toFixed(digits)} to ${values.at(-1)?.toFixed(digits)}`;
    };
    report(`envtest, ${name}: start ${range(({ wall }) => wall, 2)} s`);
    report(`envtest, ${name}: CPU of the start ${range(({ cpu }) => cpu, 2)} s`);
    report(`envtest, ${name}: memory of both processes, shared pages once ${range(({ memory }) => memory, 0)} MB`);
  }
  if (!real) report('envtest, etcd and kube-apiserver: skipped, because NODEAGENT_ENVTEST_ASSETS names no folder');
}

interface Usage {
  /** Seconds. */
  wall: number;
  cpu: number;
  /** MB. */
  memory: number;
}

async function measureStart(assets: string, folder: string): Promise<Usage> {
  const dir = mkdtempSync(join(folder, 'env-'));
  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const url = `https://127.0.0.1:${port}`;
  const ca = writeFiles(dir);
  const since = performance.now();
  const etcd = run(join(assets, 'etcd'), [
    ...[`--advertise-client-urls=${etcdUrl}`, `--data-dir=${dir}/etcd`, `--listen-client-urls=${etcdUrl}`],
    ...[`--listen-peer-urls=http://127.0.0.1:${peerPort}`, '--unsafe-no-fsync=true'],
  ]);
  await until(() =>
    fetch(`${etcdUrl}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const server = run(join(assets, 'kube-apiserver'), [
    ...['--allow-privileged=true', '--authorization-mode=RBAC', '--bind-address=127.0.0.1', `--cert-dir=${dir}`],
    ...['--disable-admission-plugins=ServiceAccount', `--etcd-servers=${etcdUrl}`, `--secure-port=${port}`],
    ...[`--service-account-issuer=${url}/`, `--service-account-key-file=${dir}/apiserver.crt`],
    ...[`--service-account-signing-key-file=${dir}/apiserver.key`, '--service-cluster-ip-range=10.0.0.0/24'],
    `--token-auth-file=${dir}/tokens.csv`,
  ]);
  await until(() => isThere(`${url}/api/v1/namespaces/default`, ca));
  const wall = (performance.now() - since) / 1000;
  const pids = [etcd, server].map(({ pid = 0 }) => pid);
  const cpu = pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const memory = residentMb(pids);
  for (const child of [server, etcd]) {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  return { wall, cpu, memory };
}

const run = (program: string, args: string[]): ChildProcess => spawn(program, args, { stdio: 'ignore' });

/** A serving certificate, whose key also signs tokens, and an administrator's token. Returns the certificate. */
function writeFiles(dir: string): string {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = { commonName: 'localhost' };
  const validity = { notBefore: Date.UTC(2020), notAfter: Date.UTC(2049) };
  const cert = issueCertificate({ ...validity, subject, ...keys, issuer: { subject, ...keys }, hosts: ['127.0.0.1'] });
  writeFileSync(join(dir, 'apiserver.crt'), cert);
  writeFileSync(join(dir, 'apiserver.key'), keys.privateKey.export({ type: 'sec1', format: 'pem' }));
  writeFileSync(join(dir, 'tokens.csv'), 'secret,admin,1,"system:masters"\n');
  return cert;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let n = 0; !(await holds()); n++) {
    if (n > 3_000) throw new Error('the program does not start');
    await sleep(10);
  }
}

function isThere(url: string, ca: string): Promise<boolean> {
  const options = { ca, agent: false, headers: { authorization: 'Bearer secret' } };
  return new Promise((resolve) => {
    get(url, options, (response) => resolve(response.resume().statusCode === 200)).once('error', () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** Resident memory of processes in MB; pages of a file that several of them have mapped are counted once. */
function residentMb(pids: readonly number[]): number {
  const ofFiles = new Map<string, number>();
  let others = 0;
  for (const pid of pids) {
    for (const [, , offset, path = '', resident] of readFileSync(`/proc/${pid}/smaps`, 'utf8').matchAll(mapping)) {
      const key = `${path} ${offset}`;
      if (path.startsWith('/')) ofFiles.set(key, Math.max(ofFiles.get(key) ?? 0, Number(resident)));
      else others += Number(resident);
    }
  }
  return ([...ofFiles.values()].reduce((sum, each) => sum + each, 0) + others) * 1.024e-3;
}

/** The addresses, the offset and the file of a mapping, and its resident kilobytes. */
const mapping = /^([\da-f]+-[\da-f]+) \S+ ([\da-f]+) \S+ \d+ *(.*)\n(?:[A-Z]\w+:.*\n)*?Rss: +(\d+) kB$/gm;
