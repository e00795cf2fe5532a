// Mounts and unmounts for ever, until it is killed: node FILE ROOT FOLDER TARGET.
import { systemClock } from '@nodeagent/api';
import { createNodeMounter } from '@nodeagent/mount-utils';
import { openImageMounts } from './image-mounts.js';

async function mountAndUnmount([root = '', folder = '', target = '']: readonly string[]): Promise<void> {
  const mounts = await openImageMounts({ root, mounter: createNodeMounter(), clock: systemClock });
  process.stdout.write('open\n');
  const ids = [{ containerId: 0, hostId: 300_000, length: 65_536 }];
  const tree = { image: 'a', folders: [folder] };
  for (;;) {
    await Promise.all([
      mounts.mount(tree, { key: 'container', isWritable: true }),
      mounts.mount(tree, { key: 'volume', target }),
      mounts.mount(tree, { key: 'shifted', isWritable: true, idMappings: { uids: ids, gids: ids } }),
    ]);
    await Promise.all(['container', 'volume', 'shifted'].map((key) => mounts.removeMount(key)));
  }
}

void mountAndUnmount(process.argv.slice(2));
