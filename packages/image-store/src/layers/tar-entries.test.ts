import { expect, it } from 'vitest';
import { readTarEntries } from './tar-entries.js';
import { testTar } from './test-tar.js';

it('keeps the attributes that an image may set: neither those of administrators nor those that overlayfs obeys', async () => {
  const keys = ['security.capability', 'user.text', 'user.overlay.opaque', 'trusted.overlay.opaque', 'trusted.text'];
  const pax = Object.fromEntries(keys.map((key) => [`SCHILY.xattr.${key}`, 'x']));
  const archive = await testTar({ name: 'file', pax: { ...pax, comment: 'none', uid: '5000000' } });
  const chunks = (async function* () {
    yield archive;
  })();
  for await (const { records } of readTarEntries(chunks)) {
    expect(records.map(({ key }) => key)).toEqual(['SCHILY.xattr.security.capability', 'SCHILY.xattr.user.text', 'uid']);
  }
  expect.assertions(1);
});
