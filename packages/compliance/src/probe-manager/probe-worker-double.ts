import type { Clock, Container, Pod, Probe, ProbeUpdate, Timer } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { bare, type ProbeResults } from './probe-results-double.js';
import type { ProbePorts } from './subject.js';

/** The ports of probes. */
export interface TestProbePorts extends ProbePorts {
  clock: Pick<Clock, 'now' | 'setTimeout'>;
}

/** What a worker probes. */
export interface ProbedContainer {
  readonly pod: Pod;
  readonly container: Container;
  readonly type: ProbeUpdate['type'];
  readonly probe: Probe;
}

/** Runs one probe of a container. */
export class TestProbeWorker {
  readonly probed: ProbedContainer;
  readonly #ports: TestProbePorts;
  readonly #results: ProbeResults;
  readonly #abort = new AbortController();
  #timer: Timer | undefined;
  #containerId = '';
  #failures = 0;

  constructor(probed: ProbedContainer, ports: TestProbePorts, results: ProbeResults) {
    this.probed = probed;
    this.#ports = ports;
    this.#results = results;
    this.trigger();
  }

  /** Starts the next probe now, and the following one a period later. */
  trigger(): void {
    this.#timer?.cancel();
    if (this.#abort.signal.aborted) return;
    this.#timer = this.#ports.clock.setTimeout(() => this.trigger(), (this.probed.probe.periodSeconds ?? 10) * 1000);
    void this.#probe();
  }

  stop(): void {
    this.#abort.abort(new Error('the probe ends'));
    this.#timer?.cancel();
    this.#results.delete(this.probed.type, this.#containerId);
  }

  async #probe(): Promise<void> {
    const { pod, container, type, probe } = this.probed;
    const observed = this.#ports.podStatus(podUid(pod))?.containerStatuses?.find(({ name }) => name === container.name);
    const { containerID: containerId = '', started, state } = observed ?? {};
    if (!state?.running || (started === true) === (type === 'Startup')) return;
    if (containerId !== this.#containerId) this.#results.delete(type, this.#containerId);
    this.#containerId = containerId;
    const { signal } = this.#abort;
    const command = probe.exec?.command ?? [];
    const exitCode = await this.#ports.runInContainer(bare(containerId), command, { signal }).then(
      (answer) => answer.exitCode,
      () => 1,
    );
    if (signal.aborted || containerId !== this.#containerId) return;
    this.#failures = exitCode === 0 ? 0 : this.#failures + 1;
    if (exitCode === 0) this.#results.publish({ type, podUid: podUid(pod), containerId, result: 'Success' });
    else if (this.#failures >= (probe.failureThreshold ?? 3)) {
      this.#results.publish({ type, podUid: podUid(pod), containerId, result: 'Failure' });
    }
  }
}
