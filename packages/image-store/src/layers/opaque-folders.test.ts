import { describe, expect, it } from 'vitest';
import { createLayerTree, type LayerItem } from './layer-tree.js';

const file = (name: string): LayerItem => ({ name, kind: 'file' });
const folder = (name: string): LayerItem => ({ name, kind: 'folder' });
const link = (name: string, linkName: string): LayerItem => ({ name, kind: 'link', linkName });

describe('the opaque folders of a layer', () => {
  it.each<[string, LayerItem[], string[]]>([
    ['are those of markers', [file('a/b/.wh..wh..opq'), file('c'), file('.wh..wh..opq')], ['', 'a/b']],
    ['stay opaque if their entry comes again', [file('a/.wh..wh..opq'), folder('a')], ['a']],
    ['are found through links', [link('a', 'b/c'), file('a/.wh..wh..opq')], ['b/c']],
    ['are not what a link leads to that replaces one', [file('a/.wh..wh..opq'), link('a', '/etc')], []],
    ['are not in what a link leads to that replaces a folder of one', [file('a/b/.wh..wh..opq'), link('a', '/etc')], []],
    ['are not a file that replaces one', [file('a/b/.wh..wh..opq'), file('a')], []],
    ['are not a folder that replaces what replaced one', [file('a/.wh..wh..opq'), file('a'), folder('a')], []],
  ])('%s', (_, items, expected) => {
    const tree = createLayerTree();
    for (const item of items) tree.place(item);
    expect(tree.opaqueFolders()).toEqual(expected);
  });
});
