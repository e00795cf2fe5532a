import dagre from '@dagrejs/dagre';
import type { MarkdownRenderer } from 'vitepress';

const lineHeight = 18;
const characterWidth = 7.6;
const padding = 10;
/** A wider drawing scrolls instead of becoming unreadable. */
const smallestScale = 0.75;

/**
 * Draws `mermaid` blocks as SVG while the site is built, so that pages need no script for it. Supports what scripts/draw-imports.mjs
 * writes: `flowchart TD`, nodes `id["line<br>line"]` and arrows `a --> b`. Throws on any other line.
 */
export function drawFlowcharts(markdown: MarkdownRenderer): void {
  const fence = markdown.renderer.rules.fence;
  if (fence === undefined) throw new Error('markdown-it has no rule for fences');
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info = '', content = '' } = tokens[index] ?? {};
    return info.trim() === 'mermaid' ? drawFlowchart(content) : fence(tokens, index, ...rest);
  };
}

function drawFlowchart(text: string): string {
  const graph = new dagre.graphlib.Graph().setGraph({ nodesep: 16, ranksep: 36, marginx: 4, marginy: 4 }).setDefaultEdgeLabel(() => ({}));
  for (const line of text.trim().split('\n').slice(1)) addLine(graph, line.trim());
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const edges = graph.edges().map((edge) => drawEdge(graph.edge(edge).points));
  const nodes = graph.nodes().map((id) => drawNode(graph.node(id) as unknown as Node));
  return `<div class="flowchart"><svg role="img" aria-label="Flowchart of imports" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" style="max-width: ${Math.ceil(width)}px; min-width: ${Math.ceil(width * smallestScale)}px"><defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>${edges.join('')}${nodes.join('')}</svg></div>`;
}

interface Node {
  x: number;
  y: number;
  width: number;
  height: number;
  lines: string[];
}

function addLine(graph: dagre.graphlib.Graph, line: string): void {
  const [, id, label] = /^(\w+)\["([^"]*)"\]$/.exec(line) ?? [];
  const [, from, to] = /^(\w+) --> (\w+)$/.exec(line) ?? [];
  if (id !== undefined && label !== undefined) {
    const lines = label.split('<br>');
    const longest = Math.max(...lines.map(({ length }) => length));
    graph.setNode(id, { lines, width: longest * characterWidth + 2 * padding, height: lines.length * lineHeight + padding });
  } else if (from !== undefined && to !== undefined) graph.setEdge(from, to);
  else throw new Error(`a flowchart has a line that cannot be drawn: ${line}`);
}

function drawEdge(points: readonly { x: number; y: number }[]): string {
  return `<polyline marker-end="url(#arrow)" points="${points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')}"/>`;
}

function drawNode({ x, y, width, height, lines }: Node): string {
  const top = y - ((lines.length - 1) * lineHeight) / 2;
  const texts = lines.map((line, index) => `<text x="${x.toFixed(1)}" y="${(top + index * lineHeight).toFixed(1)}">${line}</text>`);
  return `<rect x="${(x - width / 2).toFixed(1)}" y="${(y - height / 2).toFixed(1)}" width="${width.toFixed(1)}" height="${height}" rx="4"/>${texts.join('')}`;
}
