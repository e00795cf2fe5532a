import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { get, request } from 'node:https';
import { createServer } from 'node:net';
import { json } from 'node:stream/consumers';
import type { CertificateSubject } from '@nodeagent/x509';
import { issueCertificate } from '@nodeagent/x509/node';
import { expect } from 'vitest';

/** A port that was just free, as test frameworks choose one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

const validity = { notBefore: Date.UTC(2020), notAfter: Date.UTC(2049) };
const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pemOf = (key: ReturnType<typeof newKeys>['privateKey']) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** An authority as controller-runtime makes it: a name, a key, a certificate. */
export function createAuthority(commonName: string) {
  const keys = newKeys();
  const issuer = { subject: { commonName }, ...keys };
  const cert = issueCertificate({ ...validity, ...issuer, issuer, isAuthority: true });
  const issue = (subject: CertificateSubject, more: { usages: ('server' | 'client')[]; hosts?: string[] }) => {
    const own = newKeys();
    return { cert: issueCertificate({ ...validity, subject, publicKey: own.publicKey, issuer, ...more }), key: pemOf(own.privateKey) };
  };
  return { cert, key: pemOf(keys.privateKey), issue };
}

/** A self-signed certificate and its key, as Java frameworks make them. */
export function selfSigned(subject: CertificateSubject, hosts?: string[]) {
  const keys = newKeys();
  const cert = issueCertificate({ ...validity, subject, ...keys, issuer: { subject, ...keys }, ...(hosts && { hosts }) });
  return { cert, key: pemOf(keys.privateKey) };
}

const running: ChildProcess[] = [];

/** Kills the programs that a test has left. */
export function killAll(): void {
  for (const child of running.splice(0)) child.kill('SIGKILL');
}

/** Starts a program and waits until a URL answers with 200. `stop` expects that it exits with 0. */
export async function start(
  program: string,
  args: string[],
  url: string,
  ca?: string,
): Promise<{ child: ChildProcess; stop(): Promise<void> }> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  running.push(child);
  let errors = '';
  child.stderr?.on('data', (text) => {
    errors += text;
  });
  await expect.poll(() => (child.exitCode === null ? isUp(url, ca) : errors), { timeout: 20_000, interval: 20 }).toBe(true);
  const stop = async () => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  };
  return { child, stop };
}

async function isUp(url: string, ca?: string): Promise<boolean> {
  if (!ca)
    return fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  return new Promise((resolve) => {
    get(url, { ca, agent: false }, (response) => resolve(response.resume().statusCode === 200)).once('error', () => resolve(false));
  });
}

export interface Client {
  url: string;
  ca: string;
  own?: { cert: string; key: string };
  token?: string;
}

/** What the tests read of an answer. */
interface Answer {
  code: number | undefined;
  object: {
    spec: { clusterIP?: string };
    status: { token: string; readyReplicas?: number; userInfo: { username: string } };
    items: object[];
    keys: object[];
  };
}

/** Calls the API. */
export function call({ url, ca, own, token }: Client, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    request(`${url}${path}`, { method, ca, ...own, headers, agent: false }, async (response) =>
      resolve({ code: response.statusCode, object: (await json(response)) as Answer['object'] }),
    )
      .once('error', reject)
      .end(body && JSON.stringify(body));
  });
}

/** Watches a list until an object is deleted: the types of the events. */
export function watchTypes({ url, ca, own, token }: Client, path: string): Promise<string[]> {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  return new Promise((resolve, reject) => {
    let text = '';
    const watch = request(`${url}${path}?watch=1`, { ca, ...own, headers, agent: false }, (response) =>
      response.on('data', (piece) => {
        text += piece;
        if (!text.includes('"DELETED"')) return;
        watch.destroy();
        resolve(
          text
            .trim()
            .split('\n')
            .map((line) => (JSON.parse(line) as { type: string }).type),
        );
      }),
    );
    watch.once('error', reject).end();
  });
}
