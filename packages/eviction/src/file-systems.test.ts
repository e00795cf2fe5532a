import { describe, expect, it } from 'vitest';
import { nodeReclaims } from './signals.js';

describe('file systems', () => {
  it.each([
    [false, false, ['containers', 'images'], ['containers', 'images'], ['containers', 'images']],
    [true, false, [], ['containers', 'images'], ['containers', 'images']],
    [true, true, ['containers'], ['images'], ['containers']],
  ])('with images apart: %s, containers apart from images: %s', (dedicatedImageFs, splitContainerFs, nodefs, imagefs, containerfs) => {
    const layout = { dedicatedImageFs, splitContainerFs };
    expect(nodeReclaims(layout, 'nodefs.available')).toEqual(nodefs);
    expect(nodeReclaims(layout, 'imagefs.inodesFree')).toEqual(imagefs);
    expect(nodeReclaims(layout, 'containerfs.available')).toEqual(containerfs);
    expect(nodeReclaims(layout, 'memory.available')).toEqual([]);
  });
});
