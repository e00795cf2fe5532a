/** The bytes that a base64 text encodes. Characters outside of its alphabet, such as line ends, are skipped. */
export function decodeBase64(encoded: string): Uint8Array {
  const digits = encoded.replace(/[^A-Za-z0-9+/]/g, '');
  const binary = atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** The bytes in base64, with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
