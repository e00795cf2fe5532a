/** Lengths in bits of the codes of the 256 bytes and of the end-of-string symbol: RFC 7541, appendix B. The codes are canonical, so the lengths define them. */
const codeLengths = `
13 23 28 28 28 28 28 28 28 24 30 28 28 30 28 28 28 28 28 28 28 28 30 28 28 28 28 28 28 28 28 28
6 10 10 12 13 6 8 11 10 10 8 11 8 6 6 6 5 5 5 6 6 6 6 6 6 6 7 8 15 6 12 10
13 6 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 8 7 8 13 19 13 14 6
15 5 6 5 6 5 6 6 6 5 7 7 6 6 6 5 6 7 6 5 5 6 7 7 7 7 7 15 11 14 13 28
20 22 20 20 22 22 22 23 22 23 23 23 23 23 24 23 24 24 22 23 24 23 23 23 23 21 22 23 22 23 23 24
22 21 20 22 22 23 23 21 23 22 22 24 21 22 23 23 21 21 22 21 23 22 23 23 20 22 22 22 23 22 22 23
26 26 20 19 22 23 22 25 26 26 26 27 27 26 24 25 19 21 26 27 27 26 27 24 21 21 26 26 28 27 27 27
20 24 20 21 22 21 21 23 22 22 25 25 24 24 26 23 26 27 26 26 27 27 27 27 27 28 27 27 27 27 27 26
30`
  .trim()
  .split(/\s+/)
  .map(Number);

const longestCode = 30;
const endOfString = 256;

/** The codes of one length: consecutive numbers from `first`, for symbols in ascending order. */
const codesByLength = createCodes();

function createCodes(): { first: number; symbols: number[] }[] {
  const codes = [];
  let first = 0;
  for (let length = 0; length <= longestCode; length++) {
    const symbols = [...codeLengths.keys()].filter((symbol) => codeLengths[symbol] === length);
    codes.push({ first, symbols });
    first = (first + symbols.length) * 2;
  }
  return codes;
}

/**
 * Decodes a Huffman-coded string of HPACK to bytes.
 *
 * @throws Error for a string that ends within a code or contains the end-of-string symbol
 */
export function decodeHuffman(coded: Uint8Array): Buffer {
  const bytes: number[] = [];
  let code = 0;
  let length = 0;
  for (const byte of coded) {
    for (let bit = 7; bit >= 0; bit--) {
      code = (code << 1) | ((byte >> bit) & 1);
      length++;
      const codes = codesByLength[length];
      if (codes === undefined) throw new Error('invalid Huffman code');
      const symbol = codes.symbols[code - codes.first];
      if (symbol === undefined) continue;
      if (symbol === endOfString) throw new Error('end-of-string symbol in a Huffman-coded string');
      bytes.push(symbol);
      code = 0;
      length = 0;
    }
  }
  if (length > 7 || code !== 2 ** length - 1) throw new Error('invalid padding of a Huffman-coded string');
  return Buffer.from(bytes);
}
