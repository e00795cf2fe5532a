/** Encodes DER as PEM (RFC 7468). */
export function encodePem(label: string, der: Uint8Array): string {
  const lines = btoa(Array.from(der, (byte) => String.fromCharCode(byte)).join('')).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** The content of the first PEM block with that label; undefined without one. */
export function decodePem(label: string, pem: string): Uint8Array | undefined {
  const found = pem.match(new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END ${label}-----`));
  return found?.[1] === undefined ? undefined : Uint8Array.from(atob(found[1]), (character) => character.charCodeAt(0));
}
