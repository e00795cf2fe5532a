const mask64 = (1n << 64n) - 1n;
const mask128 = (1n << 128n) - 1n;
const encoder = new TextEncoder();

/** 32-bit FNV-1a of the text's UTF-8 bytes. */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** 64-bit FNV-1a of the text's UTF-8 bytes. */
export function fnv1a64(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of encoder.encode(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask64;
  return hash;
}

/** 128-bit FNV-1a of the text's UTF-8 bytes. */
export function fnv1a128(text: string): bigint {
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of encoder.encode(text)) hash = ((hash ^ BigInt(byte)) * 0x1000000000000000000013bn) & mask128;
  return hash;
}
