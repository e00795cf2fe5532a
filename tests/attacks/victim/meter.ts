import { readFileSync, stat, writeFileSync } from 'node:fs';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** How a process fared between `begin` and `end`. */
export interface Readings {
  /** Growth of the resident memory from `begin` to its peak, in MiB. */
  memoryMiB: number;
  /** The longest turn of the event loop, and the 99th percentile, in milliseconds. */
  loopMaxMs: number;
  loopP99Ms: number;
  /** The longest time that a file operation took, in milliseconds: it waits for the thread pool. */
  filesMaxMs: number;
}

const resolutionMs = 5;
const filePeriodMs = 20;

/** Measures this process. */
export function createMeter() {
  let delays: IntervalHistogram | undefined;
  let startMiB = 0;
  let filesMaxMs = 0;
  const askFiles = () => {
    const asked = performance.now();
    stat('/', () => {
      filesMaxMs = Math.max(filesMaxMs, performance.now() - asked);
      if (delays) setTimeout(askFiles, filePeriodMs);
    });
  };
  return {
    begin(): void {
      // The kernel forgets the previous peak.
      writeFileSync('/proc/self/clear_refs', '5');
      startMiB = statusMiB('VmRSS');
      filesMaxMs = 0;
      delays = monitorEventLoopDelay({ resolution: resolutionMs });
      delays.enable();
      askFiles();
    },
    async end(): Promise<Readings> {
      // The last turn counts once its timer has fired.
      await new Promise((resolve) => setTimeout(resolve, 4 * resolutionMs));
      const { max = 0 } = delays ?? {};
      const p99 = delays?.percentile(99) ?? 0;
      delays?.disable();
      delays = undefined;
      return {
        memoryMiB: Math.round(statusMiB('VmHWM') - startMiB),
        loopMaxMs: Math.round(max / 1e6),
        loopP99Ms: Math.round(p99 / 1e6),
        filesMaxMs: Math.round(filesMaxMs),
      };
    },
  };
}

function statusMiB(name: string): number {
  return Number(new RegExp(`${name}:\\s*(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
}
