import { expect, it } from 'vitest';
import { pods, setUp } from '../test-api-server.fixture.js';

it.each([
  ['invalid', 'time: invalid duration "invalid"'],
  ['5', 'time: missing unit in duration "5"'],
  ['5d', 'time: unknown unit "d" in duration "5d"'],
])('refuses the timeout %s', async (timeout, problem) => {
  const { status, body } = await setUp().call('GET', `${pods}?timeout=${timeout}`);
  expect([status, body.reason, body.message]).toEqual([400, 'BadRequest', `invalid timeout specified in the request URL - ${problem}`]);
});

it.each(['timeout=3m', 'timeout=0', 'timeout=1.5h2s', 'timeout='])('takes %s', async (query) => {
  expect((await setUp().call('GET', `${pods}?${query}`)).status).toBe(200);
});

it('ignores the timeout of a watch', async () => {
  const { abort, events } = await setUp().watch(`${pods}?watch=true&timeout=invalid`);
  abort();
  expect(events).toEqual([]);
});
