import { expect, it } from 'vitest';
import { parseMountInfo } from './mount-info.js';
import { supportsSELinuxLabels } from './selinux-support.js';

it('supports labels if the topmost mount has seclabel', () => {
  const mounts = parseMountInfo(
    ['36 35 98:0 / /a rw - ext4 /dev/a rw,seclabel', '37 35 98:1 / /b rw - ext4 /dev/b rw', '38 36 0:9 / /a rw - tmpfs tmpfs rw'].join(
      '\n',
    ),
  );
  const paths = (count: number) => ['/a', '/b', '/c'].map((path) => supportsSELinuxLabels(mounts.slice(0, count), path));
  expect(paths(2)).toEqual([true, false, false]);
  expect(paths(3)).toEqual([false, false, false]);
});
