// pull-image.mjs STORE IMAGE V8FLAGS...: pulls and unpacks the image into a new store with the built package, then removes it, and prints a line of JSON:
// the times of these in milliseconds, and by how much the memory of the process grew at most, in MiB.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { openImageStore } from '../../packages/image-store/dist/index.js';

const [root = '', image = '', ...v8Flags] = process.argv.slice(2);
// As the command does at its start.
for (const flag of v8Flags) setFlagsFromString(flag);

const field = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const store = await openImageStore({ root });
await sleep(500);
globalThis.gc?.();
const idleMiB = field('VmRSS');
// The highest value so far begins again at the current one.
writeFileSync('/proc/self/clear_refs', '5');
const pullMs = await timed(() => store.pull(image, { unpack: true }));
const peakMiB = field('VmHWM') - idleMiB;
const removeMs = await timed(() => store.remove(image));
await store.close();
console.log(JSON.stringify({ pullMs, removeMs, peakMiB }));
