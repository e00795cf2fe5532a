/** A line longer than this is written in parts, as containerd does (`max_container_log_line_size`). */
const maxLogLine = 16 * 1024;

const newline = 0x0a;

/** A line of a container's output, or a part of one. */
export interface LogPiece {
  /** Whether more of the same line follows (tag `P`), or the line ends here (tag `F`). */
  partial: boolean;
  text: Uint8Array;
}

/** Splits a byte stream into log lines. Buffers at most one part of a line. */
export interface OutputLineSplitter {
  push(chunk: Uint8Array): LogPiece[];
  /** Call it at the end of the stream: returns the buffered line without a newline, which is partial in the CRI log format. */
  end(): LogPiece[];
}

export function createLineSplitter(limit = maxLogLine): OutputLineSplitter {
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  const take = (partial: boolean): LogPiece => {
    const text = held.length === 1 && held[0] ? held[0] : Buffer.concat(held, heldBytes);
    held = [];
    heldBytes = 0;
    return { partial, text };
  };

  const hold = (bytes: Uint8Array, pieces: LogPiece[]) => {
    let rest = bytes;
    while (heldBytes + rest.length > limit) {
      const room = limit - heldBytes;
      if (room > 0) held.push(rest.subarray(0, room));
      heldBytes = limit;
      rest = rest.subarray(room);
      pieces.push(take(true));
    }
    if (rest.length > 0) held.push(rest);
    heldBytes += rest.length;
  };

  return {
    push(chunk) {
      const pieces: LogPiece[] = [];
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        hold(chunk.subarray(start, end), pieces);
        pieces.push(take(false));
        start = end + 1;
      }
      hold(chunk.subarray(start), pieces);
      // A copy, because a few buffered bytes would otherwise keep the whole chunk in memory until the end of the line.
      if (heldBytes > 0) held = [Buffer.concat(held, heldBytes)];
      return pieces;
    },
    end: () => (heldBytes > 0 ? [take(true)] : []),
  };
}

/**
 * Formats lines in the CRI log format: `2026-01-01T00:00:00.000000000Z stdout F text`, each with a newline. All pieces of one call have the
 * same time, that of the read.
 */
export function formatLogPieces(pieces: readonly LogPiece[], stream: 'stdout' | 'stderr', ms: number): Buffer {
  const parts: Uint8Array[] = [];
  const time = `${new Date(ms).toISOString().slice(0, -1)}000000Z`;
  const heads = { full: Buffer.from(`${time} ${stream} F `), partial: Buffer.from(`${time} ${stream} P `) };
  const lineEnd = Buffer.from('\n');
  for (const { partial, text } of pieces) parts.push(partial ? heads.partial : heads.full, text, lineEnd);
  return Buffer.concat(parts);
}
