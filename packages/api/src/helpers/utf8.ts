const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true });

/** The bytes of the text in UTF-8. */
export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** The text of bytes in UTF-8. A byte order mark stays; invalid bytes become U+FFFD. */
export const decodeUtf8 = (bytes: Uint8Array) => decoder.decode(bytes);

/** The number of bytes of the text in UTF-8. */
export const utf8Length = (text: string) => encoder.encode(text).length;

/** Orders texts by their bytes in UTF-8, as Go does: negative if the first comes first. */
export const compareUtf8 = (a: string, b: string) => compareBytes(encoder.encode(a), encoder.encode(b));

/** Orders bytes: negative if the first come first, 0 if they are equal. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
