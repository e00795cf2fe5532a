/** Encodes a record as JSON, with the 64-bit integers and bytes of CRI messages. */
export function encodeRecord(record: object): string {
  return JSON.stringify(record, (_key, value: unknown) => {
    if (typeof value === 'bigint') return { $int64: value.toString() };
    if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
    return isBufferJson(value) ? { $bytes: Buffer.from(value.data).toString('base64') } : value;
  });
}

export function decodeRecord(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('$int64' in value && typeof value.$int64 === 'string') return BigInt(value.$int64);
    if ('$bytes' in value && typeof value.$bytes === 'string') return new Uint8Array(Buffer.from(value.$bytes, 'base64'));
    return value;
  });
}

/** Whether the value is the result of `Buffer.toJSON`, which runs before the JSON replacer. */
function isBufferJson(value: unknown): value is { type: 'Buffer'; data: number[] } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'Buffer' &&
    'data' in value &&
    Array.isArray(value.data)
  );
}
