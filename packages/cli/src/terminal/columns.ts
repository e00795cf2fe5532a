const barWidth = 20;

/** `[#####...............]`; a full bar is 1. */
export function progressBar(fraction: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, fraction)) * barWidth);
  return `[${'#'.repeat(filled).padEnd(barWidth, '.')}]`;
}

/** Aligns the cells of rows in columns, two spaces apart. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
