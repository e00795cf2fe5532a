/** One array with the content of all. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** How many arguments a call may have at least. */
const sliceLength = 8192;

/** The text of bytes in Latin-1, which `TextDecoder` reads as windows-1252. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += sliceLength) text += String.fromCharCode(...bytes.subarray(at, at + sliceLength));
  return text;
}
