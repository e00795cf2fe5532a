/** A profile as `node --cpu-prof` writes it. */
export interface CpuProfile {
  nodes: readonly ProfileNode[];
  samples: readonly number[];
  /** Microseconds before each sample. */
  timeDeltas: readonly number[];
}

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: readonly number[];
}

interface Frame {
  label: string;
  place: string;
  us: number;
  children: Map<string, Frame>;
}

const width = 1_400;
const rowHeight = 16;
/** Frames narrower than this, in pixels, are left out. */
const minWidth = 0.8;
const idleFrames = new Set(['(idle)', '(program)']);

/** An SVG of the profile: the width of a frame is its CPU time with what it calls; hover for its place and share. Idle time is left out. */
export function flameGraph({ nodes, samples, timeDeltas }: CpuProfile): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const own = new Map<number, number>();
  samples.forEach((id, index) => void own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] ?? 0)));
  const root: Frame = { label: 'all', place: '', us: 0, children: new Map() };
  const [first] = nodes;
  for (const id of first?.children ?? []) add(root, id);
  const scale = width / root.us;
  const rows: string[] = [];
  const depth = draw(root, 0, 0);
  const height = (depth + 1) * rowHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="11">`,
    '<title>CPU time of functions with their callees</title>',
    `<style>rect{stroke:#fff;stroke-width:.5}text{pointer-events:none}</style>`,
    ...rows,
    '</svg>\n',
  ].join('\n');

  /** Adds a node below its caller, and returns its time. */
  function add(parent: Frame, id: number): number {
    const node = byId.get(id);
    if (node === undefined || idleFrames.has(node.callFrame.functionName)) return 0;
    const { functionName, url, lineNumber } = node.callFrame;
    const label = functionName || '(anonymous)';
    const place = placeOf(url);
    const key = `${label} ${place}`;
    const frame = parent.children.get(key) ?? { label, place: place && `${place}:${lineNumber + 1}`, us: 0, children: new Map() };
    parent.children.set(key, frame);
    let us = own.get(id) ?? 0;
    for (const child of node.children ?? []) us += add(frame, child);
    frame.us += us;
    if (parent === root) root.us += us;
    return us;
  }

  /** Draws a frame and what it calls, the widest first; returns the depth of the deepest. */
  function draw(frame: Frame, x: number, level: number): number {
    const wide = frame.us * scale;
    const share = `${((100 * frame.us) / root.us).toFixed(1)} %`;
    const [left, top] = [x.toFixed(1), level * rowHeight];
    const title = `${frame.label}${frame.place && ` ${frame.place}`}, ${(frame.us / 1_000).toFixed(0)} ms, ${share}`;
    const letters = Math.floor((wide - 4) / 6.7);
    const text = letters > 2 ? `<text x="${(x + 2).toFixed(1)}" y="${top + 12}">${escapeXml(frame.label.slice(0, letters))}</text>` : '';
    rows.push(
      `<g><title>${escapeXml(title)}</title><rect x="${left}" y="${top}" width="${wide.toFixed(1)}" height="${rowHeight}" fill="${colourOf(frame.place)}"/>${text}</g>`,
    );
    let deepest = level;
    let at = x;
    for (const child of [...frame.children.values()].sort((a, b) => b.us - a.us)) {
      if (child.us * scale < minWidth) continue;
      deepest = Math.max(deepest, draw(child, at, level + 1));
      at += child.us * scale;
    }
    return deepest;
  }
}

/** `packages/core/dist/index.js`, `node:fs`; nothing of the machine's folders. */
function placeOf(url: string): string {
  return /((?:packages\/[^/]+\/dist|node_modules\/(?!\.pnpm)).*)$/.exec(url)?.[1] ?? (url.startsWith('node:') ? url : '');
}

/** One hue for the agent, one for its dependencies, one for Node. */
function colourOf(place: string): string {
  if (place.startsWith('packages/')) return '#f2a65a';
  if (place.startsWith('node_modules/')) return '#8fbcd4';
  return place.startsWith('node:') ? '#a9cf9a' : '#d8d3c8';
}

const escapeXml = (text: string) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
