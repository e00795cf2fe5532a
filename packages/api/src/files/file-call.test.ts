import { expect, it } from 'vitest';
import { createFileCall } from './file-call.js';

/** Calls that take the given time if they are direct; returns how each was made. */
function setUp() {
  let now = 0;
  const call = createFileCall({ monotonic: () => now });
  return {
    call,
    wait(ms: number) {
      now += ms;
    },
    made: (ms: number) =>
      call(
        () => {
          now += ms;
          return 'direct';
        },
        async () => 'in a thread',
      ),
  };
}

it('calls directly until a call takes longer than 100 ms, then in threads for a minute', async () => {
  const { made, wait } = setUp();
  expect([await made(1), await made(100), await made(101), await made(1)]).toEqual(['direct', 'direct', 'direct', 'in a thread']);
  wait(59_999);
  expect(await made(1)).toBe('in a thread');
  wait(1);
  expect([await made(500), await made(1)]).toEqual(['direct', 'in a thread']);
});

it('rejects with the error of the call, which may be slow too', async () => {
  const { call, wait, made } = setUp();
  const failing = call(
    () => {
      wait(200);
      throw new Error('no space');
    },
    async () => {},
  );
  await expect(failing).rejects.toThrow('no space');
  expect(await made(1)).toBe('in a thread');
  await expect(
    call(
      () => {},
      () => Promise.reject(new Error('read-only')),
    ),
  ).rejects.toThrow('read-only');
});
