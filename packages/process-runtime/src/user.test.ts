import { describe, expect, it } from 'vitest';
import { resolveUser } from './user.js';

const passwd = 'root:x:0:0:root:/root:/bin/sh\napp:x:500:600::/:/bin/sh\nbad line\n';
const root = { uid: 0, gid: 0 };
const me = { uid: 1000, gid: 1000 };

describe('resolveUser as root', () => {
  it.each([
    [undefined, root],
    [{}, root],
    [{ runAsUser: { value: 0n } }, root],
    [{ runAsUser: { value: 500n } }, { uid: 500, gid: 600 }],
    [{ runAsUser: { value: 7n } }, { uid: 7, gid: 7 }],
    [
      { runAsUser: { value: 500n }, runAsGroup: { value: 9n } },
      { uid: 500, gid: 9 },
    ],
    [{ runAsGroup: { value: 9n } }, { uid: 0, gid: 9 }],
    [{ runAsUsername: 'app' }, { uid: 500, gid: 600 }],
    [
      { runAsUsername: 'app', runAsGroup: { value: 9n } },
      { uid: 500, gid: 9 },
    ],
  ])('%o', (context, expected) => {
    expect(resolveUser('c', context, root, passwd)).toEqual(expected);
  });

  it('rejects an unknown user name', () => {
    expect(() => resolveUser('c', { runAsUsername: 'unknown' }, root, passwd)).toThrow(
      expect.objectContaining({ code: 'CRI_INVALID_ARGUMENT' }),
    );
  });
});

describe('resolveUser as another user', () => {
  it('accepts its own user and group', () => {
    expect(resolveUser('c', { runAsUser: { value: 1000n } }, me, passwd)).toEqual(me);
    expect(resolveUser('c', { runAsUser: { value: 1000n }, runAsGroup: { value: 1000n } }, me, passwd)).toEqual(me);
  });

  it.each([
    ['run_as_user', { runAsUser: { value: 0n } }],
    ['run_as_user', { runAsUser: { value: 500n } }],
    ['run_as_user', { runAsUsername: 'app' }],
    ['run_as_group', { runAsGroup: { value: 0n } }],
  ])('rejects another user in %s: %o', (field, context) => {
    expect(() => resolveUser('c', context, me, passwd)).toThrow(
      expect.objectContaining({ code: 'CRI_INVALID_ARGUMENT', message: expect.stringMatching(`^${field}: container "c" asks for user`) }),
    );
  });
});
