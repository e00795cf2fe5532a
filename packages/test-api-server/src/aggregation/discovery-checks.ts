import type { Clock, Timer } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import { type Availability, unavailable } from './service-problem.js';

/** Period of the checks of a server, in milliseconds. */
const periodMs = 30_000;

const passed: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };

interface Check {
  result?: Availability;
  timer?: Timer;
}

/** Checks periodically whether the servers of APIServices serve their discovery. */
export class DiscoveryChecks {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #checks = new Map<string, Check>();

  /** `onChange` is called after a result that differs from the previous one. */
  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** The last result for a key; undefined until there is one. `ask` resolves to why the discovery cannot be read. */
  resultOf(key: string, ask: () => Promise<string | undefined>): Availability | undefined {
    const known = this.#checks.get(key);
    if (known) return known.result;
    const check: Check = {};
    this.#checks.set(key, check);
    void this.#run(key, check, ask);
    return undefined;
  }

  /** Ends the checks with other keys. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const [key, { timer }] of this.#checks) {
      if (keys.has(key)) continue;
      timer?.cancel();
      this.#checks.delete(key);
    }
  }

  async #run(key: string, check: Check, ask: () => Promise<string | undefined>): Promise<void> {
    const problem = await ask();
    if (this.#checks.get(key) !== check) return;
    const result = problem === undefined ? passed : unavailable('FailedDiscoveryCheck', problem);
    const isChange = !equalJson(result, check.result);
    check.result = result;
    check.timer = this.#clock.setTimeout(() => void this.#run(key, check, ask), periodMs);
    if (isChange) this.#onChange();
  }
}
