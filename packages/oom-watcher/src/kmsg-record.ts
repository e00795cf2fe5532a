/** A record of the kernel log. */
export interface KmsgRecord {
  /** Increases by one per record since boot. */
  sequence: number;
  /** The text without device properties. */
  message: string;
}

/**
 * A line of `/dev/kmsg`: `priority,sequence,microseconds,flags[,...];message` (Kernel documentation, ABI/testing/dev-kmsg). Undefined for
 * any other line, such as the ` KEY=value` lines that follow a record.
 */
export function parseKmsgRecord(line: string): KmsgRecord | undefined {
  const match = /^\d+,(\d+),\d+,[^;]*;(.*)$/s.exec(line);
  return match ? { sequence: Number(match[1]), message: match[2] ?? '' } : undefined;
}
