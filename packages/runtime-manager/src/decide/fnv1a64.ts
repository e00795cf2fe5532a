const encoder = new TextEncoder();

/** 64-bit FNV-1a of the text's UTF-8 bytes. */
export function fnv1a64(text: string): bigint {
  // In two halves: a BigInt for each byte costs ten times as much. The prime is 2^40 + 0x1b3.
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of encoder.encode(text)) {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * 0x1b3;
    high = (Math.imul(high, 0x1b3) + (mixed << 8) + Math.floor(product / 2 ** 32)) >>> 0;
    low = product >>> 0;
  }
  return (BigInt(high) << 32n) | BigInt(low);
}
