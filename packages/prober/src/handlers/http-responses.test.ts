import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { machineProbeNetwork } from '../machine-probe-network.js';
import { runProbe } from '../run-probe.js';

/** The result of a probe of a server that answers with these bytes and closes the connection. */
async function probe(response: string) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(response, 'latin1'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const attempt = await runProbe({ httpGet: { port, path: '/' }, timeoutSeconds: 5 }, {}, { network: machineProbeNetwork });
    return { ...attempt, output: attempt.output.replace(`Get "http://127.0.0.1:${port}/": `, '') };
  } finally {
    server.close();
  }
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
const broken = 'net/http: HTTP/1.x transport connection broken: ';

describe('an HTTP probe, as Go does,', () => {
  it.each([
    ['lines that end with LF', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok!'],
    ['lines of both ends, until the connection closes', 'HTTP/1.1 200 OK\r\nA: b\n\r\nok'],
    ['folded fields', `${ok}A: b\r\n c\r\n\td\r\nContent-Length:\r\n 2\r\n\r\nok!`],
    ['a folded field with an empty line', `${ok}A: b\r\n \r\nContent-Length: 2\r\n\r\nok!`],
    ['a length beside chunks', `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
    ['equal lengths', `${ok}Content-Length: 2\r\nContent-Length:  2 \r\n\r\nok!`],
    ['a trailer that is named, without chunks', `${ok}Trailer: Content-Length\r\n\r\nok`],
    ['more than the length', `${ok}Content-Length: 2\r\n\r\nok and more`],
    ['chunks in upper case', `${ok}TRANSFER-ENCODING: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
    ['chunk extensions and blanks behind the size', `${chunked}1;a=b\r\no\r\n1 \t\r\nk\r\n0\r\n\r\n`],
    ['a trailer', `${chunked}2\r\nok\r\n0\r\nA: b\r\n c\r\n\r\n`],
    ['informational responses', `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(9)}HTTP/1.1 103 Early\nA: b\n\n${ok}\r\nok`],
    ['a status line without a reason', 'HTTP/1.1 200\r\n\r\nok'],
    ['several blanks before the status', 'HTTP/1.1   200 OK\r\n\r\nok'],
    ['other versions', 'HTTP/2.0 200 OK\r\n\r\nok'],
    ['a blank before a colon', `${ok}A : b\r\nContent-Length: 2\r\n\r\nok!`],
    ['fields in Latin-1 and UTF-8', `${ok}A: \xe4\xc3\xa4\r\n\r\nok`],
    ['3,000 fields', `${ok}${'A: b\r\n'.repeat(3_000)}\r\nok`],
    ['a field of 2 MiB', `${ok}A: ${'x'.repeat(2 << 20)}\r\n\r\nok`],
  ])('accepts %s', async (_, response) => {
    expect(await probe(response)).toEqual({ result: 'success', output: 'ok' });
  });

  it.each([
    ['unknown fields with a name that a length would have', `${ok}Content-Length : 1\r\n\r\nok`, 'success', 'ok'],
    ['chunks of HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'success', '0\r\n\r\n'],
    ['a length of 204', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok', 'success', ''],
    ['chunks of 204', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n', 'success', ''],
    [
      'a length of 304',
      'HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nok',
      'warning',
      'Probe terminated redirects, Response body: ',
    ],
    ['a low status', 'HTTP/1.1 099 Low\r\n\r\nok', 'failure', 'HTTP probe failed with statuscode: 99'],
    ['a high status', 'HTTP/1.1 999 High\r\n\r\nok', 'failure', 'HTTP probe failed with statuscode: 999'],
    ['an upgrade', 'HTTP/1.1 101 Up\r\nConnection: a, Upgrade\r\n\r\nok', 'failure', 'HTTP probe failed with statuscode: 101'],
  ])('uses %s', async (_, response, result, output) => {
    expect(await probe(response)).toEqual({ result, output });
  });

  it.each([
    ['nothing', '', 'EOF'],
    ['an incomplete status line', 'HTTP/1.1 200', `${broken}unexpected EOF`],
    ['an incomplete head', `${ok}A: b\r\n`, `${broken}unexpected EOF`],
    ['an empty line before the status line', `\r\n${ok}\r\nok`, `${broken}malformed HTTP response ""`],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n', `${broken}malformed HTTP response "SSH-2.0-OpenSSH"`],
    ['a TLS alert', '\x15\x03\x01\x00\x02\x02F', `${broken}malformed HTTP response "\\x15\\x03\\x01\\x00\\x02\\x02F"`],
    ['a tab before the status', 'HTTP/1.1\t200 OK\r\n\r\n', `${broken}malformed HTTP status code "OK"`],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', `${broken}malformed HTTP status code "20"`],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n', `${broken}malformed HTTP status code "2000"`],
    ['a version of two digits', 'HTTP/1.10 200 OK\r\n\r\n', `${broken}malformed HTTP version "HTTP/1.10"`],
    ['a version in lower case', 'http/1.1 200 OK\r\n\r\n', `${broken}malformed HTTP version "http/1.1"`],
    ['another version', 'ICY 200 OK\r\n\r\n', `${broken}malformed HTTP version "ICY"`],
    ['a folded first field', `${ok} A: b\r\n\r\n`, `${broken}malformed MIME header initial line:  A: b`],
    ['a field without a colon', `${ok}foo\r\n\r\n`, `${broken}malformed MIME header: missing colon: "foo"`],
    ['a folded name', `${ok}foo\r\n : b\r\n\r\n`, `${broken}malformed MIME header: missing colon: "foo"`],
    ['an empty name', `${ok}: b\r\n\r\n`, `${broken}malformed MIME header line: : b`],
    ['a name with a parenthesis', `${ok}A(: b\r\n\r\n`, `${broken}malformed MIME header line: A(: b`],
    ['a value with NUL', `${ok}A: b\0\r\n\r\n`, `${broken}malformed MIME header line: A: b\0`],
    ['a value with CR', `${ok}A: b\rc\r\n\r\n`, `${broken}malformed MIME header line: A: b\rc`],
    ['two CR', `${ok}A: b\r\r\n\r\n`, `${broken}malformed MIME header line: A: b\r`],
    [
      'different lengths',
      `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`,
      `${broken}http: message cannot contain multiple Content-Length headers; got ["2" "3"]`,
    ],
    ['a list of lengths', `${ok}Content-Length: 2, 2\r\n\r\nok`, `${broken}bad Content-Length "2, 2"`],
    ['a length with a sign', `${ok}Content-Length: +2\r\n\r\nok`, `${broken}bad Content-Length "+2"`],
    ['a negative length', `${ok}Content-Length: -2\r\n\r\nok`, `${broken}bad Content-Length "-2"`],
    ['a length of 64 bits', `${ok}Content-Length: ${2n ** 63n}\r\n\r\nok`, `${broken}bad Content-Length "9223372036854775808"`],
    ['an empty length', `${ok}Content-Length:\r\n\r\nok`, `${broken}invalid empty Content-Length ""`],
    ['a bad length beside chunks', `${ok}Content-Length: x\r\n${chunked.slice(ok.length)}0\r\n\r\n`, `${broken}bad Content-Length "x"`],
    ['another encoding', `${ok}Transfer-Encoding: gzip\r\n\r\nok`, `${broken}unsupported transfer encoding: "gzip"`],
    ['the encoding identity', `${ok}Transfer-Encoding: identity\r\n\r\nok`, `${broken}unsupported transfer encoding: "identity"`],
    ['a list of encodings', `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n`, `${broken}unsupported transfer encoding: "gzip, chunked"`],
    [
      'two encodings',
      `${ok}Transfer-Encoding: chunked\r\n${chunked.slice(ok.length)}0\r\n\r\n`,
      `${broken}too many transfer encodings: ["chunked" "chunked"]`,
    ],
    [
      'a length in the trailer',
      `${ok}Trailer: A, content-length\r\n${chunked.slice(ok.length)}0\r\n\r\n`,
      `${broken}bad trailer key "Content-Length"`,
    ],
    [
      'a head of 11 MiB',
      `${ok}A: ${'x'.repeat(11 << 20)}\r\n\r\n`,
      `${broken}net/http: server response headers exceeded 10485760 bytes; aborted`,
    ],
  ])('refuses %s', async (_, response, output) => {
    expect(await probe(response)).toEqual({ result: 'failure', output });
  });

  it.each([
    ['fewer bytes than the length', `${ok}Content-Length: 5\r\n\r\nok`, 'unexpected EOF'],
    ['an incomplete chunk', `${chunked}5\r\nok`, 'unexpected EOF'],
    ['no last chunk', `${chunked}2\r\nok\r\n`, 'unexpected EOF'],
    ['no end of the trailer', `${chunked}2\r\nok\r\n0\r\n`, 'http: unexpected EOF reading trailer'],
    ['a trailer that ends with LF', `${chunked}2\r\nok\r\n0\r\nA: b\n\n`, 'http: suspiciously long trailer after chunked body'],
    ['a long trailer', `${chunked}0\r\nA: ${'x'.repeat(5_000)}\r\n\r\n`, 'http: suspiciously long trailer after chunked body'],
    ['a chunk size that ends with LF', `${chunked}2\nok\r\n0\r\n\r\n`, 'chunked line ends with bare LF'],
    ['a chunk size with CR', `${chunked}2\r;\r\nok\r\n0\r\n\r\n`, 'invalid CR in chunked line'],
    ['a chunk that ends with LF', `${chunked}2\r\nok\n0\r\n\r\n`, 'malformed chunked encoding'],
    ['a blank before a chunk size', `${chunked} 2\r\nok\r\n0\r\n\r\n`, 'invalid byte in chunk length'],
    ['an empty chunk size', `${chunked}\r\nok\r\n0\r\n\r\n`, 'empty hex number for chunk length'],
    ['a chunk size of 17 digits', `${chunked}${'0'.repeat(16)}2\r\nok\r\n0\r\n\r\n`, 'http chunk length too large'],
    [
      'long chunk extensions',
      `${chunked}${`1;${'x'.repeat(4_000)}\r\no\r\n`.repeat(5)}0\r\n\r\n`,
      'chunked encoding contains too much non-data',
    ],
    ['a chunk size of 5 KiB', `${chunked}2;${'x'.repeat(5_000)}\r\nok\r\n0\r\n\r\n`, 'header line too long'],
  ])('refuses a body with %s', async (_, response, error) => {
    expect(await probe(response)).toEqual({ result: 'failure', output: '', error });
  });

  it('follows a redirect whose location is folded', async () => {
    let requests = 0;
    const server = createServer((socket) =>
      socket.once('data', () => socket.end(requests++ === 0 ? 'HTTP/1.1 302 Found\nLocation:\n /next\n\n' : `${ok}\r\nok`)),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await runProbe({ httpGet: { port } }, {}, { network: machineProbeNetwork })).toEqual({ result: 'success', output: 'ok' });
    expect(requests).toBe(2);
    server.close();
  });
});
