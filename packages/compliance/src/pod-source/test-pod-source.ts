import type { Pod, PodSource } from '@nodeagent/api';
import { createVirtualClock, type VirtualClock } from '@nodeagent/testing';
import type { PodSourceSubject } from './pod-source-suite.js';

const pollPeriodMs = 1000;

/** A pod source written from the contract alone: it reads a text of pods every second. */
function createPollingSource(clock: VirtualClock, read: () => Promise<string>): PodSource {
  let running: AbortController | undefined;
  const source: PodSource = {
    name: 'poll',
    onPods: undefined,
    async start(signal) {
      if (running || signal?.aborted) return;
      const run = new AbortController();
      running = run;
      signal?.addEventListener('abort', () => void source.stop(), { once: true });
      let last: string | undefined;
      const poll = async () => {
        const text = await read().catch(() => last);
        if (run.signal.aborted) return;
        clock.setTimeout(poll, pollPeriodMs);
        if (text === undefined || text === last) return;
        last = text;
        source.onPods?.(JSON.parse(text) as Pod[]);
      };
      await poll();
    },
    async stop() {
      running?.abort();
      running = undefined;
    },
  };
  return source;
}

/** The subject of {@link createPollingSource}, optionally modified by a test. */
export function pollingSubject(change: (source: PodSource) => PodSource = (source) => source): { subject: PodSourceSubject } {
  const clock = createVirtualClock();
  let text = '[]';
  let isReadable = true;
  const read = async () => {
    if (!isReadable) throw new Error('unreadable');
    return text;
  };
  return {
    subject: {
      source: change(createPollingSource(clock, read)),
      set: (pods) => {
        text = JSON.stringify(pods);
      },
      setReadable: (next) => {
        isReadable = next;
      },
      advance: clock.advance,
    },
  };
}
