import type { PsiData, PsiStats } from '@nodeagent/api';
import { decimalAt, encode, type KernelFile, nextLine, numberAt, startsWith } from './kernel-file.js';

const some = encode('some ');
const full = encode('full ');
const avg10 = encode('avg10=');
const avg60 = encode('avg60=');
const avg300 = encode('avg300=');
const total = encode('total=');
const space = 32;

const none = (): PsiData => ({ total: 0n, avg10: 0, avg60: 0, avg300: 0 });

/**
 * A file of pressure stall information. Kernels before 5.13 have no `full` line for CPU: that is zeros. Undefined if the file is cut off.
 *
 * @see https://docs.kernel.org/accounting/psi.html
 */
export function parsePsi(file: KernelFile): PsiStats | undefined {
  let someData: PsiData | undefined;
  let fullData: PsiData | undefined = none();
  for (let line = 0; line < file.length; line = nextLine(file, line)) {
    if (startsWith(file, line, some)) someData = parseLine(file, line + some.length);
    else if (startsWith(file, line, full)) fullData = parseLine(file, line + full.length);
    else return undefined;
  }
  return someData && fullData && { full: fullData, some: someData };
}

function parseLine(file: KernelFile, offset: number): PsiData | undefined {
  const first = fieldAt(file, offset, avg10);
  const second = fieldAt(file, first, avg60);
  const third = fieldAt(file, second, avg300);
  const last = fieldAt(file, third, total);
  const data = { avg10: decimalAt(file, first), avg60: decimalAt(file, second), avg300: decimalAt(file, third) };
  const microseconds = numberAt(file, last);
  if (data.avg10 === undefined || data.avg60 === undefined || data.avg300 === undefined || microseconds === undefined) return undefined;
  return { total: microseconds, avg10: data.avg10, avg60: data.avg60, avg300: data.avg300 };
}

/** Where the value of the field begins that is next from `offset` on; the end of the file if it is another. */
function fieldAt(file: KernelFile, offset: number, name: Uint8Array): number {
  let start = offset;
  while (start < file.length && !startsWith(file, start, name)) {
    while (start < file.length && file.bytes[start] !== space) start++;
    start++;
  }
  return Math.min(start + name.length, file.length);
}
