// Uses a store without privileges, and prints what happened: node FILE ROOT IMAGE ARCHIVE.
import { createReadStream } from 'node:fs';
import { openImageStore } from './image-store.js';

async function useStore([root = '', image = '', archive = '']: readonly string[]): Promise<void> {
  const store = await openImageStore({ root, machine: { os: 'linux', architecture: 'amd64' } });
  const { id } = await store.pull(image);
  const [imported] = await store.import(createReadStream(archive));
  let exported = 0;
  for await (const chunk of store.export([image])) exported += chunk.length;
  const codeOf = (failing: Promise<unknown>) =>
    failing.then(
      () => '',
      ({ code, message, hint }) => ({ code, message, hint }),
    );
  const [unpack, mount] = [await codeOf(store.unpack(image)), await codeOf(store.mount(image, { key: 'c1' }))];
  const inspected = store.get(image)?.id;
  await store.remove(image);
  console.log(JSON.stringify({ id, imported: imported?.id, inspected, exported, unpack, mount, left: store.list().length }));
  await store.close();
}

void useStore(process.argv.slice(2));
