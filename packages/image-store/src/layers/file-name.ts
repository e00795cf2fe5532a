/**
 * The text of a file's name, which need not be UTF-8: each byte that is not becomes the lone surrogate U+DC00 + byte, so that {@link encodeFileName} restores
 * the bytes.
 */
export function decodeFileName(bytes: Buffer): string {
  const text = bytes.toString();
  if (!text.includes('\ufffd') || bytes.equals(Buffer.from(text))) return text;
  let decoded = '';
  for (let start = 0; start < bytes.length; ) {
    const length = characterLength(bytes, start);
    decoded += length === 0 ? String.fromCharCode(0xdc00 + (bytes[start] ?? 0)) : bytes.toString('utf8', start, start + length);
    start += length || 1;
  }
  return decoded;
}

/** The bytes of a name of {@link decodeFileName}. */
export function encodeFileName(name: string): Buffer {
  const parts = name.split(/([\udc80-\udcff])/u);
  if (parts.length === 1) return Buffer.from(name);
  return Buffer.concat(parts.map((part, index) => (index % 2 === 0 ? Buffer.from(part) : Buffer.of(part.charCodeAt(0) - 0xdc00))));
}

/** The number of bytes of the character of UTF-8 that begins at `start`; 0 if none does. */
function characterLength(bytes: Buffer, start: number): number {
  for (let length = 1; length <= 4; length++) {
    const text = bytes.toString('utf8', start, start + length);
    if (!text.includes('\ufffd') || bytes.subarray(start, start + length).equals(Buffer.from('\ufffd'))) return length;
  }
  return 0;
}
