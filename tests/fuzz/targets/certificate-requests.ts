import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { type CertificateRequest, x509ErrorCodes } from '@nodeagent/x509';
import { createCertificateRequest, parseCertificateRequest } from '@nodeagent/x509/node';
import fc from 'fast-check';
import { base64Field, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { oddText } from '../generate/text.js';
import { promise, promiseDocumented, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

/** The key with the number 1, whose public key is the base point of P-256: kept inputs contain it. */
const privateKey = createPrivateKey({
  format: 'jwk',
  key: {
    ...{ kty: 'EC', crv: 'P-256', d: `${'A'.repeat(42)}E` },
    x: 'axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY',
    y: 'T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
  },
});
const keys = { privateKey, publicKey: createPublicKey(privateKey) };

const label = 'CERTIFICATE REQUEST';
const pemOf = (der: Buffer) => `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`;
const derOf = (pem: string) => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');

function tagged(tag: number, content: Buffer): Buffer {
  const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

/** The part of a request that is signed. */
function signedPart(der: Buffer): Buffer {
  const start = der[1] === 0x82 ? 4 : der[1] === 0x81 ? 3 : 2;
  const [second = 0, third = 0, fourth = 0] = der.subarray(start + 1);
  const length = second < 0x80 ? 2 + second : second === 0x81 ? 3 + third : 4 + third * 256 + fourth;
  return der.subarray(start, start + length);
}

const ecdsaWithSha256 = Buffer.from('300a06082a8648ce3d040302', 'hex');
const signed = (part: Buffer) =>
  tagged(0x30, Buffer.concat([part, ecdsaWithSha256, tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', part, privateKey)]))]));

const name = fc.oneof(
  fc.constantFrom('system:node:n1', 'n1', ''),
  oddText.filter((text) => text.length < 300),
);
const valid = fc
  .record({
    subject: fc.record({ commonName: name, organizations: fc.array(name, { maxLength: 2 }) }),
    dnsNames: fc.array(name, { maxLength: 2 }),
    ips: fc.subarray(['192.0.2.7', '2001:db8::7', '::1', '::ffff:1.2.3.4']),
  })
  .map((content) => derOf(createCertificateRequest({ ...content, ...keys })));

export const certificateRequests = fuzzTarget({
  name: 'certificate-requests',
  promise: 'a request gives a subject, names and addresses that a request can have, all of them signed, or InvalidCertificateRequest',
  runs: 700,
  inputs: fc.record({
    der: fc.oneof(valid, mutatedBytes(valid), mutatedBytes(valid.map(signedPart))).map(toBase64),
    isSigned: fc.boolean(),
  }),
  content: base64Field('der'),
  check({ der, isSigned }) {
    const bytes = Buffer.from(der, 'base64');
    const request = isSigned ? signed(bytes) : bytes;
    const parsed = parse(request);
    if (parsed === undefined) return;
    promiseSame(parse(Buffer.concat([request, Buffer.from([0x05, 0x00])])), undefined, 'a request with bytes after it');
    const { subject, dnsNames, ips } = parsed;
    promise(
      [subject.commonName, ...subject.organizations, ...dnsNames].every((text) => typeof text === 'string'),
      'a name that is no text',
    );
    promise(
      ips.every((ip) => isIP(ip) !== 0),
      `the addresses ${ips}`,
    );
    promiseSame(parse(derOf(createCertificateRequest({ subject, dnsNames, ips, ...keys }))), parsed, 'the request created again');
  },
});

type Parsed = Omit<CertificateRequest, 'publicKey'>;

function parse(der: Buffer): Parsed | undefined {
  try {
    const { publicKey, ...parsed } = parseCertificateRequest(pemOf(der));
    promise(publicKey.type === 'public', 'the key of the request');
    return parsed;
  } catch (error) {
    promiseDocumented(error, [x509ErrorCodes.invalidCertificateRequest], 'parseCertificateRequest');
    return undefined;
  }
}
