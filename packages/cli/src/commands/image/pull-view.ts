import { systemClock, type Timer } from '@nodeagent/api';
import type { BlobProgress } from '@nodeagent/image-store';
import type { OutputStream } from '../../console.js';
import { finishedLayerLine, layerBars } from '../../terminal/layer-bars.js';
import { createLiveScreen } from '../../terminal/live-screen.js';

/** Shows how far a pull is. */
export interface PullView {
  report(progress: BlobProgress): void;
  /** Shows the last state. */
  close(): void;
}

/** Progress within this time is drawn together. */
const gatherMs = 100;

/** Bars on a terminal, else a line for each finished layer. */
export function createPullView(output: OutputStream): PullView {
  return output.isTTY === true ? createBars(output) : createLines(output);
}

/** Image configurations, which are small, are not shown. */
const isLayer = ({ mediaType }: BlobProgress) => !mediaType.endsWith('+json');

function createLines(output: OutputStream): PullView {
  return {
    report(progress) {
      const line = isLayer(progress) ? finishedLayerLine(progress) : undefined;
      if (line !== undefined) output.write(`${line}\n`);
    },
    close() {},
  };
}

function createBars(output: OutputStream): PullView {
  const layers = new Map<string, BlobProgress>();
  const screen = createLiveScreen(output);
  let timer: Timer | undefined;
  const draw = () => {
    timer = undefined;
    if (layers.size > 0) screen.draw(layerBars([...layers.values()], output.columns || 80, output.rows || 24));
  };
  return {
    report(progress) {
      if (!isLayer(progress)) return;
      layers.set(progress.digest, progress);
      timer ??= systemClock.setTimeout(draw, gatherMs);
    },
    close() {
      timer?.cancel();
      draw();
    },
  };
}
