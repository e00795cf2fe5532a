import { describe, expect, it } from 'vitest';
import { type DownloadProgress, finishedLayerLine, layerBars } from './layer-bars.js';

const mebibyte = 1024 * 1024;
const layer = (index: number, state: DownloadProgress['state'], share: number): DownloadProgress => ({
  digest: `sha256:${`${index}`.repeat(64)}`,
  state,
  bytes: share * 40 * mebibyte,
  size: 40 * mebibyte,
});
const layers = [layer(1, 'present', 1), layer(2, 'done', 1), layer(3, 'downloading', 0.25), layer(4, 'waiting', 0)];

describe('layerBars', () => {
  it('have a row for each layer, and one for all', () => {
    expect(layerBars(layers, 80, 24)).toEqual([
      '111111111111  [####################]  already stored',
      '222222222222  [####################]  40 MiB             done',
      '333333333333  [#####...............]  10 MiB of 40 MiB',
      '444444444444  [....................]  waiting',
      'total         [###########.........]  90 MiB of 160 MiB  2 of 4 layers',
    ]);
  });

  it('leave out finished layers on a terminal that is too low, and are cut to its width', () => {
    expect(layerBars(layers, 20, 5)).toEqual(['333333333333  [####…', '444444444444  [....…', 'total         [####…']);
    expect(layerBars(layers, 80, 3)).toHaveLength(2);
    expect(layerBars(layers, 80, 1)).toHaveLength(1);
  });

  it('are full for an empty layer', () => {
    expect(layerBars([{ ...layer(1, 'done', 0), size: 0 }], 80, 24)[1]).toMatch(/^total +\[#{20}\] {2}0 B of 0 B {2}1 of 1 layers$/);
  });
});

it('has a line for a finished layer only', () => {
  expect(layers.map(finishedLayerLine)).toEqual([
    '111111111111: already stored, 40 MiB',
    '222222222222: downloaded, 40 MiB',
    undefined,
    undefined,
  ]);
});
