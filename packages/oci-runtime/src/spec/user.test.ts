import { describe, expect, it } from 'vitest';
import { containerUser } from './user.js';
import { parseGroup, parsePasswd } from './user-files.js';

const files = {
  passwd: 'root:x:0:0:root:/root:/bin/sh\n# comment\nweb:x:1000:1001::/home/web:/bin/sh\nbroken:x:one:1\nhuge:x:4294967295:0:::\n',
  group: 'root:x:0:root\nweb:x:1001:\naudio:x:29:web,root\nvideo:x:44:web\nbad:x::web\n',
};
const id = (value: number | bigint) => ({ value: BigInt(value) });

describe('user files', () => {
  it('reads entries and leaves out other lines', () => {
    expect(parsePasswd(files.passwd).map(({ name, uid, gid }) => [name, uid, gid])).toEqual([
      ['root', 0, 0],
      ['web', 1000, 1001],
    ]);
    expect(parseGroup(files.group).map(({ name }) => name)).toEqual(['root', 'web', 'audio', 'video']);
  });
});

describe('containerUser', () => {
  it.each([
    ['', { uid: 0, gid: 0, additionalGids: [0, 29] }],
    ['web', { uid: 1000, gid: 1001, additionalGids: [29, 44, 1001] }],
    ['1000', { uid: 1000, gid: 1001, additionalGids: [29, 44, 1001] }],
    ['web:audio', { uid: 1000, gid: 29, additionalGids: [29, 44] }],
    ['1000:7', { uid: 1000, gid: 7, additionalGids: [7, 29, 44] }],
    ['7777', { uid: 7777, gid: 0, additionalGids: [0] }],
  ])('takes the user "%s" of the image', (user, expected) => {
    expect(containerUser({}, user, files)).toEqual(expected);
  });

  it('prefers the request, and ignores the group of another user of the image', () => {
    expect(containerUser({ runAsUser: id(1000) }, '5:5', files)).toMatchObject({ uid: 1000, gid: 1001 });
    expect(containerUser({ runAsUsername: 'web', runAsGroup: id(3) }, '', files)).toMatchObject({ uid: 1000, gid: 3 });
    expect(containerUser({ runAsUser: id(99) }, 'web:audio', files)).toEqual({ uid: 99, gid: 0, additionalGids: [0] });
  });

  it('adds requested groups to those of the image, or takes only the requested with Strict', () => {
    const request = { runAsUser: id(1000), supplementalGroups: [2000n, 44n] };
    expect(containerUser(request, '', files).additionalGids).toEqual([29, 44, 1001, 2000]);
    expect(containerUser({ ...request, supplementalGroupsPolicy: 'Strict' }, '', files).additionalGids).toEqual([44, 1001, 2000]);
  });

  it('is root without user files', () => {
    expect(containerUser({}, '', { passwd: '', group: '' })).toEqual({ uid: 0, gid: 0, additionalGids: [0] });
  });

  it.each([
    ['user: unable to find user mail: no matching entries in passwd file', { runAsUsername: 'mail' }, ''],
    ['user: unable to find group staff: no matching entries in group file', {}, 'web:staff'],
    ['run_as_group: needs run_as_user or run_as_username', { runAsGroup: id(1) }, ''],
    ['run_as_user: -1 is not an id from 0 to 4294967294', { runAsUser: id(-1) }, ''],
    ['supplemental_groups: 4294967296 is not an id from 0 to 4294967294', { supplementalGroups: [2n ** 32n] }, ''],
  ])('refuses with "%s"', (message, request, user) => {
    expect(() => containerUser(request, user, files)).toThrow(message);
  });
});
