import { describe, expect, it } from 'vitest';
import { createLayerTree, type LayerItem } from './layer-tree.js';

const file = (name: string): LayerItem => ({ name, kind: 'file' });
const folder = (name: string): LayerItem => ({ name, kind: 'folder' });
const link = (name: string, linkName: string): LayerItem => ({ name, kind: 'link', linkName });
const hardLink = (name: string, linkName: string): LayerItem => ({ name, kind: 'hardLink', linkName });

/** Where the last of the items comes to be. */
function placed(...items: LayerItem[]) {
  const tree = createLayerTree();
  return items.map((item) => tree.place(item)).at(-1);
}

describe('places', () => {
  it.each<[string, LayerItem[], object]>([
    ['a file', [file('./a/b')], { path: 'a/b', missingFolders: ['a'] }],
    ['a file of a folder that it has', [folder('a/'), file('a/b')], { path: 'a/b', missingFolders: [] }],
    ['an absolute name', [file('/etc/passwd')], { path: 'etc/passwd' }],
    ['the root folder', [folder('./')], { path: '', missingFolders: [] }],
    ['a file through a link', [folder('usr/lib'), link('lib', 'usr/lib'), file('lib/x')], { path: 'usr/lib/x', missingFolders: [] }],
    [
      'a file through a link to a missing folder',
      [link('lib', 'usr/lib'), file('lib/x')],
      { path: 'usr/lib/x', missingFolders: ['usr', 'usr/lib'] },
    ],
    ['an absolute link within the layer', [link('evil', '/etc'), file('evil/passwd')], { path: 'etc/passwd' }],
    ['a link that leads above the root', [link('evil', '../../../etc'), file('evil/passwd')], { path: 'etc/passwd' }],
    ['a link of a link', [link('a', 'b'), link('b', 'c'), folder('c'), file('a/x')], { path: 'c/x' }],
    ['a link that a folder replaces', [link('a', '/etc'), folder('a'), file('a/x')], { path: 'a/x' }],
    ['a folder that a link replaces', [folder('b'), folder('a'), link('a', 'b'), file('a/x')], { path: 'b/x' }],
    ['a file in place of a folder with content', [file('a/b'), file('a')], { path: 'a', replacesFolder: true }],
    ['a hard link through a link', [file('c/f'), link('a', 'c'), hardLink('h', 'a/f')], { path: 'h', linkPath: 'c/f' }],
    ['a hard link to a link', [link('a', '/etc/passwd'), hardLink('h', '/a')], { path: 'h', linkPath: 'a' }],
    ['a whiteout through a link', [link('a', 'c'), file('a/.wh.x')], { kind: 'whiteout', path: 'c/x' }],
    ['a whiteout of what the layer has', [file('a'), file('.wh.a')], { kind: 'ignored' }],
    ['an opaque folder', [file('a/.wh..wh..opq')], { kind: 'opaque', path: 'a', missingFolders: ['a'] }],
  ])('%s', (_, items, expected) => expect(placed(...items)).toMatchObject(expected));
});

describe('refuses', () => {
  it.each<[string, LayerItem[], string]>([
    ['a name with ..', [file('a/../../b')], 'has .. in its name'],
    ['a file below a file', [file('a'), file('a/b')], 'leads through "a", which is no folder'],
    ['a file below a whiteout', [file('.wh.a'), file('a/b')], 'leads through "a", which is no folder'],
    ['a root folder that is a link', [link('/', '/etc')], "is the layer's root folder"],
    ['a hard link to what the layer lacks', [hardLink('a', '/etc/passwd')], 'leads through "etc"'],
    ['a hard link to a folder', [folder('a'), hardLink('b', 'a')], 'which is no file of the layer'],
    ['a hard link to a whiteout', [file('.wh.a'), hardLink('b', 'a')], 'which is no file of the layer'],
    ['a hard link with ..', [file('a'), hardLink('b', '../a')], 'has .. in its name'],
    ['a hard link to itself', [file('a'), hardLink('a', './a')], 'is a hard link to itself'],
    ['a hard link to what it replaces', [file('a/b'), hardLink('a', 'a/b')], 'is a hard link to itself, or to what it replaces'],
    ['a link to the name of a whiteout', [link('a', '.wh.x'), file('a/b')], 'leads to a folder with the name of a whiteout'],
    ['links in a circle', [link('a', 'b'), link('b', 'a'), file('a/x')], 'leads through more than 255 links'],
    ['links that make a path too deep', [link('a', 'x/'.repeat(128)), file('a/b/c')], 'more than 128 folders deep'],
  ])('%s', (_, items, message) => {
    expect(() => placed(...items)).toThrow(expect.objectContaining({ code: 'UnsafeLayer', message: expect.stringContaining(message) }));
  });
});

it('never leads out of the layer or through a link, whatever comes', () => {
  const seed = Date.now() % 1_000_000;
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const names = ['a', 'b', 'c', '..', '.', '/a', '.wh.a', 'a/b', 'b/c', '../b', '/c/../a', '.wh..wh..opq'];
  const name = () => Array.from({ length: 1 + random(3) }, () => names[random(names.length)]).join('/');
  for (let run = 0; run < 300; run++) {
    const tree = createLayerTree();
    const links = new Set<string>();
    for (let step = 0; step < 30; step++) {
      const kind = (['file', 'folder', 'link', 'hardLink'] as const)[random(4)] ?? 'file';
      const item = { name: name(), kind, linkName: name() };
      try {
        const placement = tree.place(item);
        if (placement.kind === 'ignored') continue;
        for (const path of [placement.path, ...placement.missingFolders, placement.linkPath ?? '']) {
          const elements = path.split('/');
          expect(elements, `seed ${seed}`).not.toContain('..');
          for (let end = 1; end < elements.length; end++) expect(links.has(elements.slice(0, end).join('/')), `seed ${seed}`).toBe(false);
        }
        const isLink = kind === 'link' || (kind === 'hardLink' && links.has(placement.linkPath ?? ''));
        if (placement.kind === 'entry' && !isLink) links.delete(placement.path);
        if (placement.kind === 'entry' && isLink) links.add(placement.path);
        if (placement.replacesFolder) for (const path of [...links]) if (path.startsWith(`${placement.path}/`)) links.delete(path);
      } catch (error) {
        expect(error, `seed ${seed}`).toMatchObject({ code: 'UnsafeLayer' });
      }
    }
  }
});
