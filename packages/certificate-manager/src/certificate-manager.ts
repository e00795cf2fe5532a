import { generateKeyPairSync } from 'node:crypto';
import {
  abandonAtDeadline,
  type Clock,
  createRunLoop,
  errorCode,
  errorMessage,
  invalidOption,
  type Logger,
  NodeAgentError,
  noMetrics,
  type Random,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
  withController,
} from '@nodeagent/api';
import { createCertificateRequest } from '@nodeagent/x509/node';
import { type CertificatePair, createCertificatePair } from './certificate-pair.js';
import { type CertificateTemplate, isSameTemplate } from './certificate-template.js';
import { certificateManagerErrorCodes } from './errors.js';
import { type CertificatePhase, type CertificateState, explainCertificate } from './explain-certificate.js';
import { chooseInitialCertificate } from './initial-certificate.js';
import { issuedProblem } from './issued-problem.js';
import { type CertificateMetrics, createCertificateMetrics } from './metrics.js';
import type { CertificateManagerOptions } from './options.js';
import { isHealthyRefusal } from './request-outcome.js';
import { rotationBackoffMs } from './rotation-backoff.js';
import { isUnexpired, rotationDeadline, satisfiesTemplate } from './rotation-deadline.js';
import type { CertificateRole } from './signing-request.js';

/** The state of a certificate, and one line about it. Plain JSON without keys. */
export interface CertificateExplanation extends CertificateState {
  message: string;
  isServerHealthy: boolean;
}

/** Keeps a certificate valid. */
export interface CertificateManager extends Startable {
  /** Loads the stored certificate and starts the rotation. Rejects with `CertificateUnusable` if the stored certificate is invalid. */
  start(signal?: AbortSignal): Promise<void>;
  /** The certificate to use now; undefined without an unexpired one. Ask for it at each handshake. */
  current(): CertificatePair | undefined;
  /** Reports that the template may have changed: a certificate that lacks some of it is requested at once. */
  refreshTemplate(): void;
  /** Calls the listener with each new certificate, once it is stored: connections with the old one should close. Returns a function that removes it. */
  onRotation(listener: (pair: CertificatePair) => void): () => void;
  /** Whether the API server was healthy at the last request. False before the first one. */
  readonly isServerHealthy: boolean;
  explain(): CertificateExplanation;
}

/** Time limit of one request, in milliseconds. */
const requestTimeoutMs = 15 * 60_000;

/** Pause between two turns of the rotation, in milliseconds. */
const turnPeriodMs = 1_000;

/** How often the deadline is compared with the wall clock, which may jump, and the metric updated; in milliseconds. */
const recheckPeriodMs = 30 * 60_000;

/** Creates a {@link CertificateManager}. Throws `InvalidOption`. */
export function createCertificateManager(options: CertificateManagerOptions): CertificateManager {
  const { store, template } = options;
  if (typeof store?.current !== 'function') throw invalidOption('store', 'a certificate store', store);
  if (typeof template !== 'function') throw invalidOption('template', 'a function', template);
  return new Manager(options);
}

class Manager implements CertificateManager {
  readonly #options: CertificateManagerOptions;
  readonly #role: CertificateRole;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #metrics: CertificateMetrics;
  readonly #loop = createRunLoop((signal) => this.#run(signal));
  readonly #listeners = new Set<(pair: CertificatePair) => void>();
  #pair: CertificatePair | undefined;
  #forceRotation = false;
  #isServerHealthy = false;
  #lastRequested: CertificateTemplate | undefined;
  #phase: CertificatePhase = 'stopped';
  #rotateAt: number | undefined;
  #failures = 0;
  #lastError: string | undefined;
  #nextAttemptAt: number | undefined;
  /** The wait for the deadline or for the signer: a change of the template aborts it. */
  #interruptible: AbortController | undefined;

  constructor(options: CertificateManagerOptions) {
    this.#options = options;
    this.#role = options.role ?? 'client';
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#logger = options.logger ?? silentLogger;
    this.#metrics = createCertificateMetrics(options.metrics ?? noMetrics, this.#role);
  }

  async start(signal?: AbortSignal): Promise<void> {
    if (this.#loop.isRunning) return this.#loop.start(signal);
    await this.#load();
    if (this.#options.requestCertificate !== undefined) await this.#loop.start(signal);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  current(): CertificatePair | undefined {
    return this.#pair !== undefined && isUnexpired(this.#pair.facts, this.#clock.now()) ? this.#pair : undefined;
  }

  refreshTemplate(): void {
    const changed = this.#options.template();
    if (changed === undefined || satisfiesTemplate(this.#pair?.facts, changed) || this.#isLastRequested(changed)) return;
    this.#interruptible?.abort(new Error('the template changed'));
  }

  onRotation(listener: (pair: CertificatePair) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get isServerHealthy(): boolean {
    return this.#isServerHealthy;
  }

  explain(): CertificateExplanation {
    const certificate = this.#pair?.facts;
    const state: CertificateState = {
      phase: this.#phase,
      certificate,
      now: this.#clock.now(),
      failures: this.#failures,
      ...(this.#phase === 'waiting' && { rotateAt: this.#rotateAt }),
      ...(this.#failures > 0 && { lastError: this.#lastError }),
      ...(this.#phase === 'backingOff' && { nextAttemptAt: this.#nextAttemptAt }),
    };
    return { ...state, isServerHealthy: this.#isServerHealthy, message: explainCertificate(state) };
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#turn(signal);
        await this.#clock.sleep(turnPeriodMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) this.#logger.error({ role: this.#role, err: error }, 'the certificate manager stopped');
    } finally {
      this.#phase = 'stopped';
    }
  }

  #updateTtl(): void {
    const notAfter = this.current()?.facts.notAfter;
    this.#metrics.setTtl(notAfter === undefined ? Number.POSITIVE_INFINITY : (notAfter - this.#clock.now()) / 1_000);
  }

  async #load(): Promise<void> {
    const { store, bootstrap } = this.#options;
    const initial = chooseInitialCertificate(await store.current(), bootstrap, this.#clock.now());
    ({ pair: this.#pair, forceRotation: this.#forceRotation } = initial);
    if (initial.isBootstrap && this.#pair !== undefined) {
      await store.update(this.#pair).catch((error) => this.#logger.error({ err: error }, 'failed to store the bootstrap certificate'));
    }
    this.#updateTtl();
  }

  /** Resolves to whether `work` was interrupted by a change of the template. Rejects if the manager stops or the work fails. */
  async #interrupted(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    return withController(signal, async (own) => {
      this.#interruptible = own;
      try {
        await work(own.signal);
        return false;
      } catch (error) {
        if (signal.aborted || !own.signal.aborted) throw error;
        return true;
      } finally {
        this.#interruptible = undefined;
      }
    });
  }

  async #waitUntil(deadline: number, signal: AbortSignal): Promise<void> {
    this.#phase = 'waiting';
    this.#rotateAt = deadline;
    for (let left = deadline - this.#clock.now(); left > 0; left = deadline - this.#clock.now()) {
      this.#updateTtl();
      await this.#clock.sleep(Math.min(left, recheckPeriodMs), signal);
    }
  }

  async #request(requested: CertificateTemplate, signal: AbortSignal): Promise<CertificatePair> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { commonName, organizations, dnsNames, ips } = requested;
    const csr = createCertificateRequest({ subject: { commonName, organizations }, publicKey, privateKey, dnsNames, ips });
    const error = () =>
      new NodeAgentError(certificateManagerErrorCodes.requestTimedOut, 'timed out waiting for the certificate', {
        retryable: true,
        hint: 'Check that the request is approved and signed: kubectl get csr',
      });
    const chain = await abandonAtDeadline({ clock: this.#clock, timeoutMs: requestTimeoutMs, error, signal }, async (own) =>
      this.#options.requestCertificate?.({ csr, template: requested, current: this.current(), signal: own }),
    );
    return createCertificatePair(chain ?? '', privateKey.export({ type: 'sec1', format: 'pem' }).toString());
  }

  async #rotate(signal: AbortSignal): Promise<void> {
    const requested = this.#options.template();
    if (requested === undefined) {
      throw new NodeAgentError(certificateManagerErrorCodes.noTemplate, 'unable to create a csr, no template available', {
        retryable: true,
      });
    }
    this.#lastRequested = requested;
    const issued = await this.#request(requested, signal);
    await this.#options.store.update(issued);
    const previous = this.#pair;
    this.#pair = issued;
    this.#isServerHealthy = true;
    if (previous !== undefined) this.#metrics.observeRotation((this.#clock.now() - previous.facts.notBefore) / 1_000);
    this.#logger.info({ role: this.#role, notAfter: issued.facts.notAfter }, 'certificate rotated');
    for (const listener of this.#listeners) listener(issued);
    const problem = issuedProblem(issued.facts, requested, this.#clock.now());
    if (problem !== undefined) throw new NodeAgentError(certificateManagerErrorCodes.certificateUnusable, problem, { retryable: true });
  }

  /** One attempt; resolves to whether it succeeded. */
  async #attempt(signal: AbortSignal): Promise<boolean> {
    this.#phase = 'requesting';
    try {
      if (!(await this.#interrupted(signal, (own) => this.#rotate(own)))) return true;
      this.#lastError = 'the template changed';
    } catch (error) {
      signal.throwIfAborted();
      this.#lastError = errorMessage(error);
      const isNotCreated = errorCode(error) === certificateManagerErrorCodes.requestNotCreated;
      if (isNotCreated) this.#isServerHealthy = isHealthyRefusal((error as Error).cause);
      this.#logger.error({ role: this.#role, err: error }, 'certificate rotation failed');
    }
    this.#metrics.countRenewError();
    return false;
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { template } = this.#options;
    const input = {
      certificate: this.#pair?.facts,
      template: template(),
      forceRotation: this.#forceRotation,
      now: this.#clock.now(),
      random: this.#random(),
    };
    const deadline = Number(rotationDeadline(input) / 1_000_000n);
    this.#forceRotation = false;
    if (deadline > input.now && (await this.#interrupted(signal, (own) => this.#waitUntil(deadline, own)))) {
      if (this.#isLastRequested(template())) return;
    }
    this.#rotateAt = undefined;
    if (template() === undefined) this.#phase = 'noTemplate';
    else await this.#rotateWithRetries(signal);
  }

  async #rotateWithRetries(signal: AbortSignal): Promise<void> {
    for (this.#failures = 0; !(await this.#attempt(signal)); ) {
      this.#failures += 1;
      this.#updateTtl();
      const delayMs = rotationBackoffMs(this.#failures, this.#random());
      this.#phase = 'backingOff';
      this.#nextAttemptAt = this.#clock.now() + delayMs;
      await this.#clock.sleep(delayMs, signal);
    }
    this.#failures = 0;
    this.#lastError = undefined;
    this.#updateTtl();
    this.#phase = 'waiting';
  }

  #isLastRequested(template: CertificateTemplate | undefined): boolean {
    return template !== undefined && this.#lastRequested !== undefined && isSameTemplate(template, this.#lastRequested);
  }
}
