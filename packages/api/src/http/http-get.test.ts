import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { httpGetOver } from './http-get.js';

/** A connection whose peer sends these chunks and closes it, unless it stays open. */
function connectionOf(chunks: Iterable<Buffer>, { staysOpen = false } = {}) {
  const iterator = chunks[Symbol.iterator]();
  const sent = { text: '', chunks: 0 };
  const connection = new Duplex({
    highWaterMark: 1,
    read() {
      const { value, done } = iterator.next();
      if (!done) sent.chunks++;
      if (!done) this.push(value);
      else if (!staysOpen) this.push(null);
    },
    write(data, _, callback) {
      sent.text += data.toString('latin1');
      callback();
    },
  });
  return { connection, sent };
}

const request = { target: '/a?b c', headers: { Host: 'h', 'X-A': ['1', '\xe4'] } };
const chunk = (text: string) => Buffer.from(text, 'latin1');
const responses = {
  'HTTP/1.1 200 OK\nContent-Length: 2\nLocation: /x\n\nok': ['/x', 'ok'],
  'HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 200 OK\r\nLocation:\r\n /x\r\n\r\nok': ['/x', 'ok'],
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n00001;a\r\nk\r\n0\r\nA: b\r\n\r\n': [undefined, 'ok'],
};

describe('a GET request', () => {
  it('has the same response however its bytes arrive', async () => {
    for (const [response, expected] of Object.entries(responses)) {
      for (let size = 1; size <= response.length; size++) {
        const chunks = Array.from({ length: Math.ceil(response.length / size) }, (_, at) =>
          chunk(response.slice(at * size, (at + 1) * size)),
        );
        const { connection } = connectionOf(chunks);
        const { status, location, readBody, close } = await httpGetOver(connection, request);
        expect([status, location, Buffer.from(await readBody(100)).toString()]).toEqual([200, ...expected]);
        close();
        expect(connection.destroyed).toBe(true);
      }
    }
  });

  it('is sent with its headers in their order', async () => {
    const { connection, sent } = connectionOf([chunk('HTTP/1.1 200 OK\r\n\r\n')]);
    await httpGetOver(connection, request);
    expect(sent.text).toBe('GET /a?b c HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nX-A: \xe4\r\nConnection: close\r\n\r\n');
  });

  it.each([
    [{ 'X A': '1' }, 'net/http: invalid header field name "X A"'],
    [{ 'X-A': 'a\r\nb: c' }, 'net/http: invalid header field value for "X-A"'],
  ])('is refused with the headers %j', async (headers, text) => {
    const { connection, sent } = connectionOf([]);
    await expect(httpGetOver(connection, { target: '/', headers })).rejects.toThrow(text);
    expect([sent.text, connection.destroyed]).toEqual(['', true]);
  });

  it('is sent with an empty host instead of an invalid one', async () => {
    const { connection, sent } = connectionOf([chunk('HTTP/1.1 200 OK\r\n\r\n')]);
    await httpGetOver(connection, { target: '/', headers: { Host: 'a\r\nb: c' } });
    expect(sent.text).toBe('GET / HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n');
  });

  it('reads no more of an endless body than its caller requests', async () => {
    function* endless() {
      yield chunk('HTTP/1.1 200 OK\r\n\r\n');
      for (;;) yield chunk('x'.repeat(100));
    }
    const { connection, sent } = connectionOf(endless());
    const { readBody, close } = await httpGetOver(connection, request);
    expect((await readBody(250)).length).toBe(250);
    expect(sent.chunks).toBeLessThan(10);
    close();
  });

  it('rejects with the reason of the signal, or the error of the connection, and closes the connection', async () => {
    const controller = new AbortController();
    const silent = connectionOf([], { staysOpen: true }).connection;
    const head = httpGetOver(silent, request, controller.signal);
    const { readBody } = await httpGetOver(
      connectionOf([chunk('HTTP/1.1 200 OK\r\n\r\n')], { staysOpen: true }).connection,
      request,
      controller.signal,
    );
    const body = readBody(10);
    controller.abort(new Error('enough'));
    await expect(head).rejects.toThrow('enough');
    await expect(body).rejects.toThrow('enough');
    const broken = connectionOf([], { staysOpen: true }).connection;
    const failed = httpGetOver(broken, request);
    broken.destroy(new Error('ECONNRESET'));
    await expect(failed).rejects.toThrow('ECONNRESET');
    expect([silent.destroyed, broken.destroyed]).toEqual([true, true]);
  });
});
