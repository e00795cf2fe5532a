import { StringDecoder } from 'node:string_decoder';
import type { OutputStream } from '../../console.js';

/** An output stream that passes on whole lines; the start of a line waits for its end. */
export interface LineOutput extends OutputStream {
  /** Passes on the line that has not ended. */
  flush(): void;
}

/** A longer line is passed on in parts. */
const maxLineLength = 65_536;

/** @param onLines - called with the lines of each write that ends some */
export function createLineOutput(onLines: (lines: string[]) => void): LineOutput {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const flush = () => {
    if (rest !== '') onLines([rest]);
    rest = '';
  };
  return {
    write(data) {
      const lines = `${rest}${typeof data === 'string' ? data : decoder.write(Buffer.from(data))}`.split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) onLines(lines);
      if (rest.length > maxLineLength) flush();
      return true;
    },
    flush,
    on: () => {},
    off: () => {},
  };
}
