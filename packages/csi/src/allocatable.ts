import type { Clock, Logger, Timer } from '@nodeagent/api';
import type { Drivers } from './drivers.js';

/** Updates the volume limits of drivers periodically: `nodeAllocatableUpdatePeriodSeconds` of the CSIDriver. */
export interface AllocatableUpdates {
  /** Starts and stops timers according to the registered drivers and their CSIDrivers. */
  refresh(): void;
  stop(): void;
}

export function createAllocatableUpdates(
  drivers: Drivers,
  update: (driver: string) => Promise<void>,
  clock: Clock,
  logger: Logger,
): AllocatableUpdates {
  const running = new Map<string, { periodMs: number; timer: Timer }>();

  function schedule(driver: string, periodMs: number): void {
    const timer = clock.setTimeout(async () => {
      schedule(driver, periodMs);
      await update(driver).catch((error: unknown) => logger.warn({ driver, err: error }, 'cannot update allocatable volumes'));
    }, periodMs);
    running.set(driver, { periodMs, timer });
  }

  function end(driver: string): void {
    running.get(driver)?.timer.cancel();
    running.delete(driver);
  }

  return {
    refresh() {
      const periods = new Map(drivers.names().map((name) => [name, (drivers.peek(name)?.nodeAllocatableUpdatePeriodSeconds ?? 0) * 1000]));
      for (const [driver, { periodMs }] of [...running]) if (periods.get(driver) !== periodMs) end(driver);
      for (const [driver, periodMs] of periods) if (periodMs > 0 && !running.has(driver)) schedule(driver, periodMs);
    },
    stop() {
      for (const driver of [...running.keys()]) end(driver);
    },
  };
}
