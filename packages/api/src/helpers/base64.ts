const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The UTF-8 text that a base64 text encodes. Characters outside of its alphabet, such as line ends, are skipped. */
export function decodeBase64(encoded: string): string {
  const digits = encoded.replace(/[^A-Za-z0-9+/]/g, '');
  const binary = atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return decoder.decode(bytes);
}
