import { expect, it } from 'vitest';
import { listenForEnd } from './end-requests.js';
import { createTestConsole } from './test-console.js';

function listening() {
  const { console, end, listeners } = createTestConsole();
  const time = { now: 0 };
  return { requests: listenForEnd(console, () => time.now), end, listeners, time };
}

it('tells the first request from the second', () => {
  const { requests, end, time } = listening();
  end('SIGINT');
  expect([requests.first.aborted, requests.second.aborted]).toEqual([true, false]);
  time.now = 1_000;
  end('SIGTERM');
  expect(requests.second.aborted).toBe(true);
});

it('takes the same signal twice at once, from the terminal and from npm, for one request', () => {
  const { requests, end, time } = listening();
  end('SIGINT');
  time.now = 50;
  end('SIGINT');
  expect(requests.second.aborted).toBe(false);
});

it('takes a closed output for a request to end, but never for one to end at once', () => {
  const { requests, end, time } = listening();
  end('output closed');
  expect(requests.first.aborted).toBe(true);
  time.now = 1_000;
  end('output closed');
  expect(requests.second.aborted).toBe(false);
});

it('stops listening', () => {
  const { requests, listeners } = listening();
  requests.stopListening();
  expect(listeners.size).toBe(0);
});
