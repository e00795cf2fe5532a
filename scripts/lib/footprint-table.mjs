import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pnpm.mjs';

const file = join(root, 'docs', 'packages.md');
const table = /(<!-- footprints: measured by scripts\/measure-packages\.mjs -->\n)([\s\S]*?)(<!-- end of footprints -->)/;
const head = ['package', 'packages', 'kB', 'import ms', 'import MB', 'require ms', 'require MB'];

/** Writes what was measured into the table of docs/packages.md. */
export function writeFootprintTable(footprints) {
  const rows = Object.entries(footprints).map(([name, { packages, kB, ...loaded }]) => {
    const cells = [packages, kB, loaded.import.ms, loaded.import.rssMB, loaded.require.ms, loaded.require.rssMB];
    return `| [${name}](../packages/${name}) | ${cells.join(' | ')} |`;
  });
  const lines = [`| ${head.join(' | ')} |`, `| --- |${' ---: |'.repeat(head.length - 1)}`, ...rows, ''];
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(table, (_, begin, __, end) => `${begin}${lines.join('\n')}${end}`),
  );
}

/** How the table differs from what every machine measures alike, one line each. Sizes may differ by a tenth. */
export function staleRows(footprints) {
  const [, , rows = ''] = table.exec(readFileSync(file, 'utf8')) ?? [];
  const listed = [...rows.matchAll(/^\| \[([^\]]+)\]\([^)]*\) \| (\d+) \| (\d+) \|/gm)];
  const written = new Map(listed.map(([, name, packages, kB]) => [name, { packages: Number(packages), kB: Number(kB) }]));
  const isCurrent = (name, { packages, kB }) => {
    const row = written.get(name);
    return row !== undefined && row.packages === packages && Math.abs(row.kB - kB) <= kB / 10;
  };
  const removed = [...written.keys()].filter((name) => !(name in footprints));
  const stale = Object.keys(footprints).filter((name) => !isCurrent(name, footprints[name]));
  return [...removed, ...stale].map((name) => `docs/packages.md: the row of ${name} is stale; run node scripts/measure-packages.mjs`);
}
