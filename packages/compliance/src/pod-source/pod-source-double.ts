import type { Clock, Pod, PodSource, Timer } from '@nodeagent/api';

/** The ports of {@link createTestPodSource}. */
export interface TestPodSourcePorts {
  clock: Pick<Clock, 'setTimeout'>;
  /** Resolves to the JSON text of the pods. */
  read(): Promise<string>;
}

const pollPeriodMs = 1000;

/** A pod source: it reads a JSON text of pods every second. */
export function createTestPodSource({ clock, read }: TestPodSourcePorts): PodSource {
  let running: AbortController | undefined;
  let timer: Timer | undefined;
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
        timer = clock.setTimeout(poll, pollPeriodMs);
        if (text === undefined || text === last) return;
        last = text;
        source.onPods?.(JSON.parse(text) as Pod[]);
      };
      await poll();
    },
    async stop() {
      timer?.cancel();
      running?.abort();
      running = undefined;
    },
  };
  return source;
}
