import { expect, it } from 'vitest';
import { listenForInterrupts } from './interrupts.js';
import { createTestConsole } from './test-console.js';

function listening() {
  const { console, end, listeners } = createTestConsole();
  const time = { now: 0 };
  return { requests: listenForInterrupts(console, () => time.now), end, listeners, time };
}

it('distinguishes the first interrupt from the second', () => {
  const { requests, end, time } = listening();
  end('SIGINT');
  expect([requests.first.aborted, requests.second.aborted]).toEqual([true, false]);
  time.now = 1_000;
  end('SIGTERM');
  expect(requests.second.aborted).toBe(true);
});

it('counts simultaneous signals of the terminal and of npm as one interrupt', () => {
  const { requests, end, time } = listening();
  end('SIGINT');
  time.now = 50;
  end('SIGINT');
  expect(requests.second.aborted).toBe(false);
});

it('counts a closed output as the first interrupt, but never as the second', () => {
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
