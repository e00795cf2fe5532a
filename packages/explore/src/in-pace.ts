import { requirePositive, systemClock } from '@nodeagent/api';
import { keepPace, milliseconds, type TestCluster } from '@nodeagent/test-cluster';

/** How often real time is compared, in milliseconds. */
const stepMs = 5;

/** A cluster whose `advance` takes real time, for clients that run in real time: `speed` virtual milliseconds per real one. */
export function inPace(cluster: TestCluster, speed: number): TestCluster {
  requirePositive('speed', speed);
  const { clock } = cluster;
  return {
    ...cluster,
    async advance(duration) {
      const end = clock.monotonic() + milliseconds(duration);
      const stop = new AbortController();
      const pacing = keepPace(clock, { speed, signal: stop.signal });
      const arrived = async () => {
        while (clock.monotonic() < end) await systemClock.sleep(stepMs);
      };
      await Promise.race([arrived(), pacing]);
      stop.abort();
      await pacing;
    },
  };
}
