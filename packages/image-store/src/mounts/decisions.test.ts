import { describe, expect, it } from 'vitest';
import { hostId, idmapOption, requireIdMappings } from './id-mapping.js';
import { decodeMountRecord, encodeMountRecord } from './mount-record.js';
import { maxFoldersOfOption, overlayOptions, unsuitableForUpper } from './overlay-options.js';

describe('the options of an overlay', () => {
  it('name folders by their numbers, and turn off what follows attributes of layers', () => {
    expect(overlayOptions({ folders: 2, isWritable: true })).toEqual([
      'lowerdir=0:1',
      'upperdir=../upper',
      'workdir=../work',
      'index=off',
      'redirect_dir=nofollow',
      'metacopy=off',
    ]);
  });

  it('add an empty folder to a single one, because the kernel requires two or a writable one', () => {
    expect(overlayOptions({ folders: 1, isWritable: false })).toEqual(expect.arrayContaining(['lowerdir=0:../empty', 'ro']));
    expect(overlayOptions({ folders: 1, isWritable: false, containsPlace: true })).toEqual(
      expect.arrayContaining(['lowerdir=0', 'upperdir=../upper', 'ro']),
    );
    expect(overlayOptions({ folders: 1, isWritable: true })).toContain('lowerdir=0');
  });

  it('let content be found below a folder of metadata', () => {
    const of = (isWritable: boolean) => overlayOptions({ folders: 2, isWritable, isMetadataOnly: true }).slice(-2);
    expect([of(true), of(false)]).toEqual([
      ['redirect_dir=on', 'metacopy=on'],
      ['redirect_dir=follow', 'metacopy=on'],
    ]);
  });

  it('fit into the 255 bytes of one option, or are one for each folder', () => {
    const [lower = ''] = overlayOptions({ folders: maxFoldersOfOption, isWritable: true });
    expect(lower.length - 'lowerdir='.length).toBeLessThanOrEqual(255);
    const appended = overlayOptions({ folders: 127, isAppended: true, isWritable: true });
    expect(appended.slice(126, 129)).toEqual(['lowerdir+=126', 'upperdir=../upper', 'workdir=../work']);
    expect(overlayOptions({ folders: 500, isWritable: true }).join(',').length).toBeLessThan(4096);
  });

  it('quote a label, which has commas', () => {
    expect(overlayOptions({ folders: 1, isWritable: true, selinuxContext: 'u:r:t:s0:c1,c2' })).toContain('context="u:r:t:s0:c1,c2"');
  });

  it('are for file systems that can have writable layers', () => {
    expect([unsuitableForUpper(0x794c7630), unsuitableForUpper(0xef53)]).toEqual(['overlay', undefined]);
  });
});

describe('the IDs of a user namespace', () => {
  const ranges = [
    { containerId: 0, hostId: 100_000, length: 10 },
    { containerId: 1_000, hostId: 5, length: 1 },
  ];

  it('are those of the range that has the ID', () => {
    expect([0, 9, 10, 999, 1_000, 1_001].map((id) => hostId(ranges, id))).toEqual([100_000, 100_009, undefined, undefined, 5, undefined]);
  });

  it('are passed to mount(8) with the ID in the container first', () => {
    expect(idmapOption({ uids: ranges, gids: ranges.slice(1) })).toBe('X-mount.idmap=u:0:100000:10 u:1000:5:1 g:1000:5:1');
  });

  it.each([
    ['none', []],
    ['an empty range', [{ containerId: 0, hostId: 0, length: 0 }]],
    ['a fraction', [{ containerId: 0, hostId: 0.5, length: 1 }]],
    ['an ID that is too large', [{ containerId: 0, hostId: 2 ** 32 - 2, length: 2 }]],
    [
      'ranges that overlap on the machine',
      [
        { containerId: 0, hostId: 10, length: 5 },
        { containerId: 10, hostId: 14, length: 5 },
      ],
    ],
  ])('must not be %s', (_, gids) => {
    expect(() => requireIdMappings({ uids: ranges, gids })).toThrow(
      expect.objectContaining({ code: 'InvalidOption', details: { field: 'idMappings.gids' } }),
    );
    expect(() => requireIdMappings({ uids: ranges, gids: ranges })).not.toThrow();
  });
});

it('the record of a mount is read as it was written, and one that lost its end is none', () => {
  const record = { image: 'sha256:1', folders: ['/a'], isWritable: true };
  const text = encodeMountRecord(record);
  expect(decodeMountRecord(text)).toEqual(record);
  for (const damaged of [text.slice(0, -1), '', '[]', '{"version":2,"folders":[]}']) expect(decodeMountRecord(damaged)).toBeUndefined();
});
