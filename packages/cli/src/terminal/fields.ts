import { printable } from './printable.js';
import { padEnd, textWidth } from './text-width.js';

/** A line `Key: value` with indented content below. */
export interface Field {
  key: string;
  value?: string;
  fields?: Field[];
  /** Indented lines below the key, printed unchanged. */
  lines?: string[];
}

/** Formats fields as `kubectl describe` does: values of neighbouring fields are aligned. */
export function renderFields(fields: readonly Field[]): string[] {
  const width = Math.max(0, ...fields.filter(({ value }) => value !== undefined).map(({ key }) => textWidth(printable(key)))) + 3;
  return fields.flatMap(({ key, value, fields: below = [], lines = [] }) => [
    value === undefined ? `${printable(key)}:` : `${padEnd(`${printable(key)}:`, width)}${printable(value)}`.trimEnd(),
    ...[...renderFields(below), ...lines].map((line) => `  ${line}`),
  ]);
}

/** A field unless its value is absent or empty. */
export function field(key: string, value: string | undefined): Field[] {
  return value === undefined || value === '' ? [] : [{ key, value }];
}

/** Aligns cells in columns, two spaces apart, with underlined headings. */
export function renderColumns(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [headings, headings.map((heading) => '-'.repeat(heading.length)), ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => textWidth(line[column] ?? ''))));
  return lines.map((line) =>
    line
      .map((cell, column) => padEnd(cell, (widths[column] ?? 0) + 2))
      .join('')
      .trimEnd(),
  );
}
