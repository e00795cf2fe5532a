import { formatBytes } from '@nodeagent/pod-view/resources';
import { alignColumns, progressBar } from './columns.js';
import { shorten } from './table.js';

/** How far a download is. */
export interface DownloadProgress {
  digest: string;
  state: 'waiting' | 'downloading' | 'present' | 'done';
  /** Bytes that are there. */
  bytes: number;
  size: number;
}

const shortDigest = (digest: string) => digest.replace(/^[^:]*:/, '').slice(0, 12);
const isFinished = ({ state }: DownloadProgress) => state === 'present' || state === 'done';
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/**
 * A bar for each layer, and one for all. If they do not fit, finished layers have no bar.
 * @param height - rows of the terminal; one stays free for the cursor
 */
export function layerBars(layers: readonly DownloadProgress[], width: number, height: number): string[] {
  const room = Math.max(0, height - 2);
  const shown = layers.length <= room ? layers : layers.filter((layer) => !isFinished(layer)).slice(0, room);
  const [bytes, size] = [sum(layers.map((layer) => layer.bytes)), sum(layers.map((layer) => layer.size))];
  const total = ['total', progressBar(size === 0 ? 1 : bytes / size), `${formatBytes(bytes)} of ${formatBytes(size)}`, layersText(layers)];
  return alignColumns([...shown.map(layerRow), total]).map((line) => shorten(line, width));
}

/** The line of a finished layer; undefined for another. */
export function finishedLayerLine(layer: DownloadProgress): string | undefined {
  if (!isFinished(layer)) return undefined;
  return `${shortDigest(layer.digest)}: ${layer.state === 'present' ? 'already stored' : 'downloaded'}, ${formatBytes(layer.size)}`;
}

function layerRow({ digest, state, bytes, size }: DownloadProgress): string[] {
  const text = {
    waiting: 'waiting',
    downloading: `${formatBytes(bytes)} of ${formatBytes(size)}`,
    present: 'already stored',
    done: formatBytes(size),
  }[state];
  return [shortDigest(digest), progressBar(size === 0 ? Number(state !== 'waiting') : bytes / size), text, state === 'done' ? 'done' : ''];
}

const layersText = (layers: readonly DownloadProgress[]) => `${layers.filter(isFinished).length} of ${layers.length} layers`;
