/** Encodes DER as PEM (RFC 7468). */
export function encodePem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** The content of the first PEM block with that label; undefined without one. */
export function decodePem(label: string, pem: string): Buffer | undefined {
  const found = pem.match(new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END ${label}-----`));
  return found?.[1] === undefined ? undefined : Buffer.from(found[1], 'base64');
}
