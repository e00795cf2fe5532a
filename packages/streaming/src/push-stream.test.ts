import { expect, it } from 'vitest';
import { createPushStream } from './push-stream.js';

it.each(['before its data', 'while data waits for its reader'])(
  'takes no more data, and holds nothing up, once destroyed %s',
  async (when) => {
    const { readable, push } = createPushStream();
    const chunk = Buffer.alloc(1024 * 1024);
    if (when === 'before its data') readable.destroy();
    let isTaken = false;
    const taken = push(chunk).then(() => {
      isTaken = true;
    });
    await new Promise(setImmediate);
    expect(isTaken).toBe(when === 'before its data');
    readable.destroy();
    await taken;
    await push(chunk);
  },
);
