import { errorMessage, invalidOption, type Random } from '@nodeagent/api';
import type { ApiRequest, ApiResponse, AuditEvent, TestApiServerOptions } from '@nodeagent/test-api-server';
import { createTestCluster, elapsedText, milliseconds, type TestCluster } from '@nodeagent/test-cluster';
import { seededRandom } from '@nodeagent/testing';
import { ControllerLink } from './controller-link.js';
import { disturbanceTimes, type Schedule } from './disturbance.js';
import { httpEntry } from './http-entry.js';
import { inPace } from './in-pace.js';
import { Instance, type StaleState } from './instance.js';
import type { ExploreOptions, Setup } from './options.js';
import type { ControllerWrite, EndObject, Run } from './run.js';

/** Resources that no run is judged by: they differ with every disturbance. */
const ignored = ['events', 'events.events.k8s.io', 'leases.coordination.k8s.io'];

/** A controller that ended by itself this short before the end does not run: it is started again and again. */
const recentMs = 60_000;

/** Runs the scenario once in a new cluster, disturbed by a schedule. */
export async function runScenario(setup: Setup, options: ExploreOptions, schedule: Schedule): Promise<Run> {
  const run = await ScenarioRun.create(options, schedule);
  try {
    await setup(run.cluster);
    run.start();
    await options.actions?.(run.cluster);
    await run.finish();
    return run.result();
  } finally {
    await run.stop();
  }
}

class ScenarioRun {
  readonly cluster: TestCluster;
  readonly #options: ExploreOptions;
  readonly #schedule: Schedule;
  /** Where the server listens, if it does. */
  readonly #url: string | undefined;
  readonly #writes: ControllerWrite[] = [];
  readonly #timeline: string[] = [];
  readonly #instances = new Map<string, Instance>();
  readonly #link: ControllerLink;
  readonly #startedAt: number;
  readonly #random: Random;
  /** The last time that an instance failed to start or ended by itself. */
  #failure: { at: number; why: string } | undefined;

  static async create(options: ExploreOptions, schedule: Schedule): Promise<ScenarioRun> {
    const { network, seed = 1, cluster: { server, ...cluster } = {} } = options;
    let run: ScenarioRun | undefined;
    const ownServer: TestApiServerOptions = {
      ...server,
      ...(network && { network: httpEntry(network, (name, request) => run?.handle(name, request)) }),
      audit(event) {
        run?.record(event);
        server?.audit?.(event);
      },
    };
    const created = await createTestCluster({ periods: 'long', ...cluster, server: ownServer, seed, traceLimit: 0 });
    const url = network && (await created.server.listen());
    run = new ScenarioRun(options.speed === undefined ? created : inPace(created, options.speed), options, schedule, url);
    return run;
  }

  private constructor(cluster: TestCluster, options: ExploreOptions, schedule: Schedule, url: string | undefined) {
    this.cluster = cluster;
    this.#url = url;
    this.#options = options;
    this.#schedule = schedule;
    this.#startedAt = cluster.clock.monotonic();
    this.#random = seededRandom(options.seed ?? 1);
    this.#link = new ControllerLink({
      server: cluster.server,
      clock: cluster.clock,
      schedule,
      user: options.user ?? defaultUser,
      crash: (instance, stale) => this.#crash(instance, stale),
      startAnother: () => this.start(),
      end: (instance) => instance.process.kill(),
      note: (text) => this.#note(text),
    });
  }

  /** Handles a request over HTTP, if it is one of an instance. */
  handle(name: string, request: ApiRequest): Promise<ApiResponse> | undefined {
    const instance = this.#instances.get(name);
    return instance && this.#link.handle(instance, request);
  }

  /** Keeps a write, if it is one of the controller. */
  record(event: AuditEvent): void {
    const { username } = this.#options.user ?? defaultUser;
    if (event.user.username === username) this.#writes.push(writeOf(event, this.#elapsed()));
  }

  /** Starts an instance of the controller, which gets its first turn with the next advance. */
  start(stale?: StaleState): void {
    const { clock } = this.cluster;
    const instance = new Instance(this.#instances.size + 1, clock, stale);
    this.#instances.set(instance.name, instance);
    this.#note(`controller ${instance.number} starts`);
    const { server } = this.cluster;
    const context = {
      instance: instance.number,
      transport: instance.transport({ handle: (request) => this.#link.handle(instance, request) }),
      kubeconfig: () => {
        if (this.#url !== undefined) return server.kubeconfig().replace(this.#url, `${this.#url}/${instance.name}`);
        throw invalidOption('network', 'machineNetwork of @nodeagent/test-api-server/node for controllers that use HTTP', undefined);
      },
      clock: instance.process.clock,
      random: this.#random,
      signal: instance.signal,
      ended: (why: string) => this.#failed(instance, 'ended', why),
      note: (text: string) => this.#note(`controller ${instance.number}: ${text}`),
    };
    Promise.resolve()
      .then(() => this.#options.controller(context))
      .catch((error) => this.#failed(instance, 'failed to start', errorMessage(error)));
  }

  #failed(instance: Instance, how: string, why: string): void {
    if (!instance.process.isAlive) return;
    this.#failure = { at: this.#elapsed(), why };
    this.#note(`controller ${instance.number} ${how}: ${why}`);
    this.#crash(instance);
  }

  #crash(instance: Instance, stale?: StaleState): void {
    instance.process.kill();
    this.cluster.clock.setTimeout(() => this.start(stale), disturbanceTimes.restart);
  }

  /** Advances to the end of the run. */
  async finish(): Promise<void> {
    const { clock } = this.cluster;
    const duration = milliseconds(this.#options.duration ?? '10m');
    for (let last = clock.monotonic(); clock.monotonic() < last + duration; last = Math.max(last, this.#link.disturbedUntil)) {
      await this.cluster.advance(Math.min(duration, last + duration - clock.monotonic()));
    }
  }

  result(): Run {
    const startError = this.#startError();
    const { operations, deliveries, touches } = this.#link;
    return {
      schedule: this.#schedule,
      operations,
      deliveries,
      writes: this.#writes,
      touches,
      end: this.#end(),
      endedAt: this.#elapsed(),
      ...(startError !== undefined && { startError }),
      timeline: this.#timeline,
    };
  }

  /** Why the controller does not run at the end. */
  #startError(): string | undefined {
    if (this.#failure && this.#failure.at > this.#elapsed() - recentMs) return this.#failure.why;
    if (this.#options.network === undefined || this.#link.operations.length > 0) return undefined;
    return 'it sends no request: does it use its kubeconfig, and does it have the time (options speed and duration)?';
  }

  #end(): EndObject[] {
    const resources = [...new Set(this.#link.operations.map(({ resource }) => resource))].filter((each) => !ignored.includes(each)).sort();
    return resources.flatMap((resource) => this.cluster.server.objects.list(resource).map((object) => ({ resource, object })));
  }

  async stop(): Promise<void> {
    for (const { process } of this.#instances.values()) process.kill();
    await this.cluster.stop();
  }

  #elapsed(): number {
    return this.cluster.clock.monotonic() - this.#startedAt;
  }

  #note(text: string): void {
    this.#timeline.push(`${elapsedText(this.#elapsed())} ${text}`);
  }
}

const defaultUser = { username: 'controller', groups: ['system:masters', 'system:authenticated'] };

function writeOf({ verb, objectRef, responseStatus, responseObject }: AuditEvent, at: number): ControllerWrite {
  const { resource = '', apiGroup, subresource, namespace, name = '' } = objectRef;
  return {
    at,
    verb,
    resource: apiGroup === undefined ? resource : `${resource}.${apiGroup}`,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    name,
    status: responseStatus.code,
    ...(responseStatus.code < 300 && responseObject !== undefined && { object: responseObject as NonNullable<ControllerWrite['object']> }),
  };
}
