import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pnpm.mjs';
import { webAddressOf } from './repository.mjs';

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

/** The rows of the table by package: `packages`, `kB`, and `rssMB`, what `import` adds to the memory of a process. */
function listedFootprints() {
  const [, , rows = ''] = table.exec(readFileSync(file, 'utf8')) ?? [];
  const listed = [...rows.matchAll(/^\| \[([^\]]+)\]\([^)]*\) \| (\d+) \| (\d+) \| [\d.]+ \| ([\d.]+) \|/gm)];
  return new Map(
    listed.map(([, name, packages, kB, rssMB]) => [name, { packages: Number(packages), kB: Number(kB), rssMB: Number(rssMB) }]),
  );
}

/** How the table differs from what every machine measures alike, one line each. Sizes may differ by a tenth. */
export function staleRows(footprints) {
  const written = listedFootprints();
  const isCurrent = (name, { packages, kB }) => {
    const row = written.get(name);
    return row !== undefined && row.packages === packages && Math.abs(row.kB - kB) <= kB / 10;
  };
  const removed = [...written.keys()].filter((name) => !(name in footprints));
  const stale = Object.keys(footprints).filter((name) => !isCurrent(name, footprints[name]));
  return [...removed, ...stale].map((name) => `docs/packages.md: the row of ${name} is stale; run node scripts/measure-packages.mjs`);
}

const footprintLine = /^Footprint: .*\n\n/m;

/** The text of a README with the footprint of its package as a line after the first code block, which has the install command. */
export function withFootprint(text, { packages, kB, rssMB }) {
  const count = packages === 1 ? '1 package' : `${packages} packages`;
  const line = `Footprint: ${count}, ${kB} kB on disk, ${rssMB} MB of memory ([all packages](${webAddressOf('docs/packages.md')})).`;
  const without = text.replace(footprintLine, '');
  return without.replace(/^```[^\n]*\n[\s\S]*?^```\n\n/m, (block) => `${block}${line}\n\n`);
}

/** Writes the footprints of the table into the READMEs and returns those that differed; with `check` it writes nothing. */
export function writeFootprintLines({ check = false } = {}) {
  return [...listedFootprints()].flatMap(([name, footprint]) => {
    const readme = join(root, 'packages', name, 'README.md');
    const text = readFileSync(readme, 'utf8');
    const current = withFootprint(text, footprint);
    if (current === text) return [];
    if (!check) writeFileSync(readme, current);
    return [`packages/${name}/README.md`];
  });
}
