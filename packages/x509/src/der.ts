/** The ASN.1 types (DER, ITU-T X.690) that a certificate needs. */

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export function tagged(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

export const sequence = (...parts: Uint8Array[]) => tagged(0x30, ...parts);
export const set = (...parts: Uint8Array[]) => tagged(0x31, ...parts);
export const octets = (bytes: Uint8Array) => tagged(0x04, bytes);
export const bits = (bytes: Uint8Array) => tagged(0x03, Buffer.from([0]), bytes);
export const text = (value: string) => tagged(0x0c, Buffer.from(value));
export const truth = Buffer.from([0x01, 0x01, 0xff]);

/** Encodes milliseconds since 1970, truncated to seconds, with two-digit years up to 2049 (RFC 5280). */
export function time(ms: number): Buffer {
  const digits = `${new Date(ms).toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`;
  return Number(digits.slice(0, 4)) < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}

/** Encodes a non-negative integer given with its most significant byte first. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const significant = first < 0 ? Buffer.from([0]) : Buffer.from(bytes.subarray(first));
  return tagged(0x02, (significant[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), significant]) : significant);
}

/** An object identifier such as `2.5.4.3`. */
export function oid(dotted: string): Buffer {
  const [a = 0, b = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = rest.flatMap((arc) => {
    const digits = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) digits.unshift(0x80 | (left & 0x7f));
    return digits;
  });
  return tagged(0x06, Buffer.from([40 * a + b, ...bytes]));
}

/** The signature algorithm of all certificates and requests that this package issues. */
export const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));
