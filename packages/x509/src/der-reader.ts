/** One value of DER (ITU-T X.690). */
export interface DerValue {
  tag: number;
  content: Uint8Array;
  /** The value with its tag and length. */
  encoded: Uint8Array;
}

/** The values that follow each other in these bytes. Throws an Error for truncated bytes and for lengths above 4 bytes. */
export function readValues(bytes: Uint8Array): DerValue[] {
  const values: DerValue[] = [];
  for (let start = 0; start < bytes.length; ) {
    const first = bytes[start + 1] ?? 0;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const head = start + 2 + lengthBytes;
    if (lengthBytes > 4 || head > bytes.length) throw new Error('invalid DER: bad length');
    const length = lengthBytes === 0 ? first : bigEndian(bytes.subarray(start + 2, head));
    if (head + length > bytes.length || first === 0x80) throw new Error('invalid DER: truncated');
    values.push({ tag: bytes[start] ?? 0, content: bytes.subarray(head, head + length), encoded: bytes.subarray(start, head + length) });
    start = head + length;
  }
  return values;
}

const bigEndian = (bytes: Uint8Array) => bytes.reduce((value, byte) => value * 256 + byte, 0);

/** Decodes an object identifier. */
export function decodeOid(content: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first = 0, ...rest] = arcs;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - 40 * root, ...rest].join('.');
}
