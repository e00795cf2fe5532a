// draw-beside-kubelet.mjs [--check]: writes the tables of docs/performance.md and the chart from docs/beside-kubelet.json, the results of
// NODEAGENT_BENCH_RESULTS=docs/beside-kubelet.json npm run bench -- --only beside-kubelet.
// It exists because results that are copied by hand are neither complete nor up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/pnpm.mjs';

const page = join(root, 'docs', 'performance.md');
const chart = join(root, 'docs', 'public', 'performance', 'beside-kubelet.svg');
const region = /(?<=<!-- beside-kubelet -->\n\n)(?:.*?\n)??(?=\n?<!-- end -->)/s;

const results = JSON.parse(readFileSync(join(root, 'docs', 'beside-kubelet.json'), 'utf8'));
const agents = [...new Set(results.measurements.map(({ agent }) => agent))].filter((agent) => agent !== 'kubelet');

/** The least, the middle and the largest value. */
function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return { min: sorted[0], median: (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2, max: sorted.at(-1) };
}

const valuesOf = (agent, of) => results.measurements.filter((one) => one.agent === agent).map(({ round, usage }) => [round, usage[of]]);

/** By round, as multiples of the kubelet's. */
function ratioOf(agent, { of }) {
  const kubelet = new Map(valuesOf('kubelet', of));
  return spread(valuesOf(agent, of).map(([round, value]) => value / kubelet.get(round)));
}

const table = (head, lines) =>
  [head, head.map((_, column) => (column === 0 ? '---' : '--:')), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function tables() {
  const rounds = agents.map((agent) => `${agent}: ${results.measurements.filter((one) => one.agent === agent).length}`).join(', ');
  const ratio = (agent, row) => {
    const { min, median, max } = ratioOf(agent, row);
    return `${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;
  };
  const amount = (agent, { of, digits }) => spread(valuesOf(agent, of).map(([, value]) => value)).median.toFixed(digits);
  return `Ratios to the kubelet of the same round, median (minimum to maximum). Rounds: ${rounds}.

${table(
  ['', 'goal', ...agents],
  results.rows.map((row) => [row.label, row.goal.toFixed(2), ...agents.map((agent) => ratio(agent, row))]),
)}

Medians:

${table(
  ['', '', 'kubelet', ...agents],
  results.rows.map((row) => [row.label, row.unit, ...['kubelet', ...agents].map((agent) => amount(agent, row))]),
)}

Measured ${results.date}: ${results.machine}.
`;
}

const width = 720;
const left = 230;
const top = 46;
const barHeight = 9;
const rowHeight = agents.length * (barHeight + 1) + 14;
const height = top + results.rows.length * rowHeight + 12;
const most = 1.25;
const x = (ratio) => left + (Math.min(ratio, most) / most) * (width - left - 50);

function bar(agent, row, index, y) {
  const { median } = ratioOf(agent, row);
  const at = y + index * (barHeight + 1);
  return `<rect class="node${index}" x="${left}" y="${at}" width="${(x(median) - left).toFixed(1)}" height="${barHeight}"/>
<text class="value" x="${(x(median) + 4).toFixed(1)}" y="${at + 8}">${median.toFixed(2)}</text>`;
}

function svg() {
  const rows = results.rows.map((row, index) => {
    const y = top + index * rowHeight;
    const goal = x(row.goal).toFixed(1);
    return `<text class="label" x="${left - 8}" y="${y + rowHeight / 2 - 3}">${row.label}</text>
${agents.map((agent, position) => bar(agent, row, position, y)).join('\n')}
<line class="goal" x1="${goal}" x2="${goal}" y1="${y - 3}" y2="${y + rowHeight - 11}"/>`;
  });
  const legend = agents.map(
    (agent, index) => `<rect class="node${index}" x="${left + index * 130}" y="10" width="10" height="10"/>
<text x="${left + 14 + index * 130}" y="19">${agent}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<title id="title">nodeagent as a multiple of a kubelet on the same machine, by version of Node; less is better</title>
<style>
text { font: 11px system-ui, sans-serif; fill: #333 }
.label { text-anchor: end }
.value { font-size: 9px }
.node0 { fill: #7aa6d6 } .node1 { fill: #3f78b5 } .node2 { fill: #1f4e82 }
.kubelet { stroke: #888; stroke-dasharray: 3 3 }
.goal { stroke: #c2410c; stroke-width: 2 }
</style>
<rect width="${width}" height="${height}" rx="6" fill="#fff"/>
${legend.join('\n')}
<line class="goal" x1="${left + 5 + agents.length * 130}" x2="${left + 5 + agents.length * 130}" y1="8" y2="22"/>
<text x="${left + 14 + agents.length * 130}" y="19">goal</text>
<line class="kubelet" x1="${x(1)}" x2="${x(1)}" y1="30" y2="${height - 8}"/>
<text class="value" x="${x(1) + 3}" y="38">kubelet</text>
${rows.join('\n')}
</svg>
`;
}

const text = readFileSync(page, 'utf8');
if (!region.test(text)) throw new Error('docs/performance.md has no region <!-- beside-kubelet --> … <!-- end -->');
const wanted = new Map([
  [page, text.replace(region, tables)],
  [chart, svg()],
]);
for (const [file, content] of wanted) {
  if (!process.argv.includes('--check')) writeFileSync(file, content);
  else if (readFileSync(file, 'utf8') !== content) {
    console.error(`${file} differs from docs/beside-kubelet.json: node scripts/draw-beside-kubelet.mjs`);
    process.exitCode = 1;
  }
}
