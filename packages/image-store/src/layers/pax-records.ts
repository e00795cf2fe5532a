/** A record of an extended header (pax(1), "pax Extended Header"). Its value is bytes: file capabilities are no text. */
export interface PaxRecord {
  key: string;
  value: Buffer;
}

const [space, equals, newline] = [0x20, 0x3d, 0x0a];

/** The records of an extended header, in their order; undefined if it is malformed. */
export function decodePaxRecords(bytes: Buffer): PaxRecord[] | undefined {
  const records: PaxRecord[] = [];
  for (let start = 0; start < bytes.length; ) {
    const keyStart = bytes.indexOf(space, start) + 1;
    const digits = bytes.toString('latin1', start, Math.max(start, keyStart - 1));
    const end = start + Number(digits);
    const keyEnd = bytes.indexOf(equals, keyStart);
    const isWhole = /^[0-9]{1,9}$/.test(digits) && keyEnd > keyStart && keyEnd < end && end <= bytes.length && bytes[end - 1] === newline;
    const key = bytes.toString('utf8', keyStart, keyEnd);
    // tar(1) ignores the records after one with a NUL in its key.
    if (!isWhole || key.includes('\0')) return undefined;
    records.push({ key, value: bytes.subarray(keyEnd + 1, end - 1) });
    start = end;
  }
  return records;
}

/** An extended header of these records. */
export function encodePaxRecords(records: readonly PaxRecord[]): Buffer {
  return Buffer.concat(records.flatMap(({ key, value }) => encodeRecord(Buffer.from(`${key}=`), value)));
}

/** The length at its front counts its digits, too. */
function encodeRecord(key: Buffer, value: Buffer): Buffer[] {
  const rest = key.length + value.length + 2;
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return [Buffer.from(`${length} `), key, value, Buffer.of(newline)];
}
