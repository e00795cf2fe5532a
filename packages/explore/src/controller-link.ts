import { abortable, type Clock, NodeAgentError } from '@nodeagent/api';
import { type ApiRequest, type ApiResponse, type RequestUser, requestInfo, type TestApiServer } from '@nodeagent/test-api-server';
import { unavailable, webhookDown, webhookTimeout } from './answers.js';
import { touchPrefix } from './canonical.js';
import { type Disturbance, type DisturbanceKind, disturbanceTimes, type Schedule } from './disturbance.js';
import type { Instance, StaleState } from './instance.js';
import { type Operation, operationText } from './operation.js';
import { type Delivery, WatchGate } from './watch-gate.js';

export interface ControllerLinkOptions {
  server: TestApiServer;
  clock: Clock & { jump(ms: number): void };
  schedule: Schedule;
  user: RequestUser;
  /** Kills an instance; the next one starts with `stale`. */
  crash(instance: Instance, stale?: StaleState): void;
  /** Starts another instance at once. */
  startAnother(): void;
  /** Ends an instance without another start. */
  end(instance: Instance): void;
  note(text: string): void;
}

/** The rate limit of the controller's requests. */
const [perSecond, burst] = [10, 100];

/** The way of all requests of the controller to the API server: it numbers them and disturbs those of the schedule. */
export class ControllerLink {
  readonly operations: Operation[] = [];
  readonly deliveries: Delivery[] = [];
  readonly touches: { uid: string; annotation: string }[] = [];
  /** When the last disturbance ended or will end, in monotonic milliseconds. */
  disturbedUntil = 0;
  readonly #options: ControllerLinkOptions;
  readonly #startedAt: number;
  readonly #watches: WatchGate;
  #tokens = burst;
  #countedAt = 0;

  constructor(options: ControllerLinkOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
    this.#watches = new WatchGate({
      clock: options.clock,
      forgetHistory: () => options.server.forgetHistory(),
      delivered: (resource) => this.deliveries.push({ at: this.#elapsed(), resource, after: this.operations.length }),
    });
  }

  /** Handles a request of an instance. Rejects if the connection breaks. */
  async handle(instance: Instance, request: ApiRequest): Promise<ApiResponse> {
    if (!instance.process.isAlive) throw connectionLost();
    const operation = this.#begin(instance, request);
    const planned = operation ? this.#options.schedule.filter(({ at }) => at === operation.index) : [];
    if (operation === undefined) return this.#send(instance, request);
    await this.#throttle(instance);
    for (const each of planned) this.#report(each, operation);
    try {
      const refusal = await this.#before(instance, operation, request, planned);
      const answer = refusal ?? (await this.#send(instance, this.#seenBy(instance, operation, request)));
      operation.status = answer.status;
      this.#after(instance, operation, planned);
      if (operation.verb !== 'watch') return answer;
      return { ...answer, body: this.#watches.pass(answer.body, operation.resource, instance) };
    } finally {
      this.#options.note(`controller ${instance.number}: ${operationText(operation)} -> ${operation.status ?? 'no answer'}`);
    }
  }

  /** Lets time pass for a controller that sends requests without end, as the rate limit of a client does. */
  async #throttle({ signal }: Instance): Promise<void> {
    const { clock } = this.#options;
    const now = clock.monotonic();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#countedAt) / 1_000) * perSecond) - 1;
    this.#countedAt = now;
    if (this.#tokens < 0) await clock.sleep((-this.#tokens * 1_000) / perSecond, signal);
  }

  /** Numbers a request for objects. */
  #begin({ number }: Instance, { method = 'GET', url }: ApiRequest): Operation | undefined {
    const { pathname, searchParams } = new URL(url, 'http://cluster');
    const { isResource, verb, group, resource, subresource, namespace, name } = requestInfo(method, pathname, searchParams);
    if (!isResource) return undefined;
    const operation: Operation = {
      index: this.operations.length + 1,
      at: this.#elapsed(),
      instance: number,
      verb,
      resource: group === '' ? resource : `${resource}.${group}`,
      ...(subresource !== undefined && { subresource }),
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
      anyVersion: verb === 'list' && searchParams.get('resourceVersion') === '0',
      revision: this.#options.server.revision,
    };
    this.operations.push(operation);
    return operation;
  }

  #report({ kind }: Disturbance, { index }: Operation): void {
    this.#options.note(`*** ${kind} at request ${index}`);
    this.disturbedUntil = this.#options.clock.monotonic() + disturbanceTimes.lag;
  }

  /** Does what happens before a request is processed; resolves to an answer if it is refused. */
  async #before(instance: Instance, operation: Operation, request: ApiRequest, planned: Schedule): Promise<ApiResponse | undefined> {
    const { clock, startAnother } = this.#options;
    for (const { kind, resource } of planned) {
      // The event of the request itself is late, too.
      if (kind === 'lag' || kind === 'miss') this.#watches.lag(resource, kind === 'miss');
      if (kind === 'reorder' && resource !== undefined) this.#watches.reorder(resource);
      if (kind === 'webhook-timeout') await clock.sleep(disturbanceTimes.webhook, instance.signal);
      const refusal = refusals[kind];
      if (refusal) return refusal;
      if (kind === 'conflict') await this.#touch(operation, request);
      if (kind === 'clock-forward') clock.jump(disturbanceTimes.jump);
      if (kind === 'clock-back') clock.jump(-disturbanceTimes.jump);
      if (kind === 'second-leader') startAnother();
      if (kind === 'slow' || kind === 'second-leader') await clock.sleep(disturbanceTimes.hold, instance.signal);
    }
    return undefined;
  }

  /** Does what happens after a request was processed, before its answer is sent. */
  #after(instance: Instance, operation: Operation, planned: Schedule): void {
    const { clock, crash, end } = this.#options;
    const now = clock.monotonic();
    for (const { kind, resource } of planned) {
      if (kind === 'crash') crash(instance);
      if (kind === 'crash-stale') {
        crash(instance, {
          revision: this.#revisionBefore(operation),
          until: now + disturbanceTimes.restart + disturbanceTimes.lag,
          resource,
        });
      }
      if (kind === 'second-leader') end(instance);
      if (kind === 'crash' || kind === 'crash-stale' || kind === 'second-leader' || kind === 'lose-answer') throw connectionLost();
    }
  }

  /** The state before the last change that a request may have been the answer to. */
  #revisionBefore({ revision }: Operation): number {
    return this.operations.findLast((earlier) => earlier.revision < revision)?.revision ?? revision;
  }

  /** Sends a request; it is processed also if the instance crashes meanwhile. */
  async #send(instance: Instance, request: ApiRequest): Promise<ApiResponse> {
    const { server, user } = this.#options;
    const signal = request.signal ? AbortSignal.any([request.signal, instance.signal]) : instance.signal;
    try {
      return await abortable(server.handle({ ...request, user, signal }), instance.signal);
    } catch (error) {
      if (instance.signal.aborted) throw connectionLost();
      throw error;
    }
  }

  /** The request of an instance with an old state: a list that accepts any version gets the old one, if the server still has it. */
  #seenBy(instance: Instance, { anyVersion, resource }: Operation, request: ApiRequest): ApiRequest {
    const revision = instance.staleRevision(resource);
    if (!anyVersion || revision === undefined) return request;
    return { ...request, url: request.url.replace('resourceVersion=0', `resourceVersion=${revision}&resourceVersionMatch=Exact`) };
  }

  /** Another client's change of the object of a request. */
  async #touch({ index }: Operation, { url }: ApiRequest): Promise<void> {
    const annotation = `${touchPrefix}${index}`;
    const body = JSON.stringify({ metadata: { annotations: { [annotation]: 'yes' } } });
    const path = new URL(url, 'http://cluster').pathname.replace(/\/(status|scale)$/, '');
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = await this.#options.server.handle({ method: 'PATCH', url: path, headers, body });
    if (answer.status !== 200 || typeof answer.body !== 'string') return;
    const { metadata } = JSON.parse(answer.body) as { metadata: { uid: string } };
    this.touches.push({ uid: metadata.uid, annotation });
  }

  #elapsed(): number {
    return this.#options.clock.monotonic() - this.#startedAt;
  }
}

const connectionLost = () => new NodeAgentError('ApiUnreachable', 'the connection to the API server was lost', { retryable: true });

const refusals: Partial<Record<DisturbanceKind, ApiResponse>> = {
  refuse: unavailable,
  'webhook-timeout': webhookTimeout,
  'webhook-down': webhookDown,
};
