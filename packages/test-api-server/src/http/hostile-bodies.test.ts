import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestApiServer } from '../test-api-server.js';
import { machineNetwork } from './machine-network.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const limit = 3 * 1024 * 1024;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function listen() {
  const server = createTestApiServer({ network: machineNetwork });
  ends.push(() => server.close());
  const url = await server.listen();
  const post = (body: Buffer | string, headers: Record<string, string> = {}, query = '') =>
    new Promise<{ status: number; warning: string; body: { message: string; reason: string } }>((resolve, reject) => {
      const outgoing = request(`${url}${configMaps}${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
      });
      outgoing.on('response', (incoming) => {
        let text = '';
        incoming.on('data', (piece) => {
          text += piece;
        });
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, warning: String(incoming.headers.warning ?? ''), body: JSON.parse(text) }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  /** Sends bytes and returns all that comes back until the connection closes. */
  const raw = (text: string, closes: boolean) =>
    new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => (closes ? socket.end(text) : socket.write(text)));
      let answer = '';
      socket.on('data', (piece) => {
        answer += piece;
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(answer));
    });
  const isUp = async () => (await fetch(`${url}/readyz`)).status === 200;
  const names = () => server.objects.list('configmaps', { namespace: 'default' }).map(({ metadata }) => metadata?.name);
  return { post, raw, isUp, names };
}

/** A ConfigMap of exactly so many bytes as JSON. */
function configMapOf(bytes: number): string {
  const [start, end] = ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"big"},"data":{"a":"', '"}}'];
  return `${start}${'x'.repeat(bytes - start.length - end.length)}${end}`;
}

describe('hostile bodies', () => {
  it('of 3 MiB are read, of one byte more refused with 413', async () => {
    const { post, isUp } = await listen();
    const most = await post(configMapOf(limit));
    expect([most.status, most.body.message]).toEqual([422, expect.stringContaining('Too long')]);
    const more = await post(configMapOf(limit + 1));
    expect([more.status, more.body.reason]).toEqual([413, 'RequestEntityTooLarge']);
    expect(more.body.message).toBe('Request entity too large: limit is 3145728');
    expect(await isUp()).toBe(true);
  });

  it('that are cut off, or shorter than their Content-Length, write nothing', async () => {
    const { post, raw, isUp, names } = await listen();
    expect(await post('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cut"')).toMatchObject({ status: 400 });
    const head = `POST ${configMaps} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`;
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"short"}}';
    expect(await raw(head + body, true)).not.toContain('201 Created');
    expect([await isUp(), names()]).toEqual([true, ['kube-root-ca.crt']]);
  });

  it('longer than their Content-Length are not read as another request', async () => {
    const { raw, isUp, names } = await listen();
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"long"}}';
    const head = `POST ${configMaps} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length - 5}\r\n\r\n`;
    const answer = await raw(head + body, true);
    expect(answer.startsWith('HTTP/1.1 400')).toBe(true);
    expect([await isUp(), names()]).toEqual([true, ['kube-root-ca.crt']]);
  });

  it('in gzip are not expanded', async () => {
    const { post, isUp } = await listen();
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
    const before = process.memoryUsage().rss;
    expect(await post(bomb, { 'content-encoding': 'gzip' })).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024);
    expect(await isUp()).toBe(true);
  });

  it('with 10,000 unknown fields or levels get a short answer', async () => {
    const { post, isUp } = await listen();
    const fields = Array.from({ length: 10_000 }, (_, n) => `"f${n}":${n}`).join(',');
    const wide = await post(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"wide"},${fields}}`);
    expect([wide.status, wide.warning.length]).toEqual([201, expect.closeTo(3000, -3)]);
    const strict = await post(
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"strict"},${fields}}`,
      {},
      '?fieldValidation=Strict',
    );
    expect([strict.status, strict.body.message.length]).toEqual([400, expect.closeTo(2200, -3)]);
    const deep = await post(
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"data":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    );
    expect(deep.status).toBe(400);
    expect(await isUp()).toBe(true);
  });
});
