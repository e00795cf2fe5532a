import { decodeBase64, decodeUtf8, encodeBase64, encodeUtf8 } from '@nodeagent/api/helpers';

/** The text in base64url (RFC 4648, section 5), without padding. */
export function encodeBase64Url(text: string): string {
  return encodeBase64(encodeUtf8(text)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The text that a text in base64url encodes. */
export function decodeBase64Url(encoded: string): string {
  return decodeUtf8(decodeBase64(encoded.replaceAll('-', '+').replaceAll('_', '/')));
}
