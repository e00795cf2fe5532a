import { readFileSync } from 'node:fs';

/** The text that an OCI runtime has written to its log (option `--log`); empty without one. */
export function readRuntimeLog(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/**
 * The end of a terminal's output: what crun has not copied when the command exits it writes to its log, in pieces, and a newline after each. The
 * newlines of a terminal follow a carriage return. The log of runc has only its messages.
 */
export function restOfTerminal(log: Buffer): Buffer {
  const text = log.toString('latin1');
  return Buffer.from(text.startsWith('time=') ? '' : text.replace(/(?<!\r)\n/g, ''), 'latin1');
}
