import type { PsiData, PsiStats } from '@nodeagent/api';
import { encodeUtf8 } from '@nodeagent/api/helpers';
import { decimalAt, type KernelFile, nextLine, numberAt, startsWith } from './kernel-file.js';

const some = encodeUtf8('some ');
const full = encodeUtf8('full ');
const avg10 = encodeUtf8('avg10=');
const avg60 = encodeUtf8('avg60=');
const avg300 = encodeUtf8('avg300=');
const total = encodeUtf8('total=');
const space = 32;

/**
 * Parses a file of pressure stall information. Undefined if it is truncated. Kernels before 5.13 have no `full` line for CPU: then it is 0.
 *
 * @see https://docs.kernel.org/accounting/psi.html
 */
export function parsePsi(file: KernelFile): PsiStats | undefined {
  if (!startsWith(file, 0, some)) return undefined;
  const someData = parseLine(file, some.length);
  const line = nextLine(file, 0);
  if (line === file.length) return someData && { full: { total: 0n, avg10: 0, avg60: 0, avg300: 0 }, some: someData };
  const fullData = startsWith(file, line, full) ? parseLine(file, line + full.length) : undefined;
  return someData && fullData && { full: fullData, some: someData };
}

function parseLine(file: KernelFile, offset: number): PsiData | undefined {
  const first = fieldAt(file, offset, avg10);
  const second = fieldAt(file, first, avg60);
  const third = fieldAt(file, second, avg300);
  const last = fieldAt(file, third, total);
  const of10 = decimalAt(file, first);
  const of60 = decimalAt(file, second);
  const of300 = decimalAt(file, third);
  const microseconds = numberAt(file, last);
  if (of10 === undefined || of60 === undefined || of300 === undefined || microseconds === undefined) return undefined;
  return { total: microseconds, avg10: of10, avg60: of60, avg300: of300 };
}

/** Offset of the value if the next field from `offset` on has this name, else the end of the file. */
function fieldAt(file: KernelFile, offset: number, name: Uint8Array): number {
  let start = offset;
  while (start < file.length && !startsWith(file, start, name)) {
    while (start < file.length && file.bytes[start] !== space) start++;
    start++;
  }
  return Math.min(start + name.length, file.length);
}
