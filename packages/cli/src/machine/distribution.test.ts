import { expect, it } from 'vitest';
import { distributionOf } from './distribution.js';

it.each([
  ['PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n', 'debian'],
  ['ID=ubuntu\nID_LIKE=debian\n', 'debian'],
  ['ID=linuxmint\nID_LIKE="ubuntu debian"\n', 'debian'],
  ['NAME="Alpine Linux"\nID=alpine\n', 'alpine'],
  ['ID=fedora\n', 'fedora'],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'fedora'],
  ['ID=arch\n', undefined],
  ['VARIANT_ID=debian\n', undefined],
  ['', undefined],
])('%j is of the family %s', (text, family) => {
  expect(distributionOf(text)).toBe(family);
});
