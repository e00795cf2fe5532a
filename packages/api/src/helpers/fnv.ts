import { encodeUtf8 } from './utf8.js';

const mask128 = (1n << 128n) - 1n;

/** 32-bit FNV-1a of the text's UTF-8 bytes. */
export function fnv1a32(text: string): number {
  // By index: checkpoints of all pods are hashed at each start, and unoptimized code allocates for each step of an iterator.
  const bytes = encodeUtf8(text);
  let hash = 0x811c9dc5;
  for (let index = 0; index < bytes.length; index++) hash = Math.imul(hash ^ (bytes[index] as number), 0x01000193);
  return hash >>> 0;
}

/** 128-bit FNV-1a of the text's UTF-8 bytes. */
export function fnv1a128(text: string): bigint {
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of encodeUtf8(text)) hash = ((hash ^ BigInt(byte)) * 0x1000000000000000000013bn) & mask128;
  return hash;
}
