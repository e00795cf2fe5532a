import { generateKeyPairSync } from 'node:crypto';
import {
  abandonAtDeadline,
  checkOptionNames,
  createCertificateRequest,
  createRunLoop,
  errorCode,
  errorMessage,
  invalidOption,
  NodeAgentError,
  noMetrics,
  type OptionNames,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
  withController,
} from '@nodeagent/api';
import { type CertificatePair, createCertificatePair } from './certificate-pair.js';
import { type CertificateTemplate, isSameTemplate } from './certificate-template.js';
import { certificateManagerErrorCodes } from './errors.js';
import { type CertificatePhase, type CertificateState, explainCertificate } from './explain-certificate.js';
import { chooseInitialCertificate } from './initial-certificate.js';
import { issuedProblem } from './issued-problem.js';
import { createCertificateMetrics } from './metrics.js';
import type { CertificateManagerOptions } from './options.js';
import { isHealthyRefusal } from './request-outcome.js';
import { rotationBackoffMs } from './rotation-backoff.js';
import { isUnexpired, rotationDeadline, satisfiesTemplate } from './rotation-deadline.js';

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

const optionNames: OptionNames<CertificateManagerOptions> = {
  store: true,
  template: true,
  requestCertificate: true,
  bootstrap: true,
  role: true,
  clock: true,
  random: true,
  logger: true,
  metrics: true,
};

/** Creates a {@link CertificateManager}. Throws `InvalidOption`. */
export function createCertificateManager(options: CertificateManagerOptions): CertificateManager {
  checkOptionNames('createCertificateManager', options, optionNames);
  const { store, template, requestCertificate, bootstrap, role = 'client' } = options;
  const { clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  if (typeof store?.current !== 'function') throw invalidOption('store', 'a certificate store', store);
  if (typeof template !== 'function') throw invalidOption('template', 'a function', template);
  const metrics = createCertificateMetrics(options.metrics ?? noMetrics, role);

  const listeners = new Set<(pair: CertificatePair) => void>();
  let pair: CertificatePair | undefined;
  let forceRotation = false;
  let isServerHealthy = false;
  let lastRequested: CertificateTemplate | undefined;
  let phase: CertificatePhase = 'stopped';
  let rotateAt: number | undefined;
  let failures = 0;
  let lastError: string | undefined;
  let nextAttemptAt: number | undefined;
  /** The wait for the deadline or for the signer: a change of the template aborts it. */
  let interruptible: AbortController | undefined;

  const current = () => (pair !== undefined && isUnexpired(pair.facts, clock.now()) ? pair : undefined);

  function updateTtl(): void {
    const notAfter = current()?.facts.notAfter;
    metrics.setTtl(notAfter === undefined ? Number.POSITIVE_INFINITY : (notAfter - clock.now()) / 1_000);
  }

  async function load(): Promise<void> {
    const initial = chooseInitialCertificate(await store.current(), bootstrap, clock.now());
    ({ pair, forceRotation } = initial);
    if (initial.isBootstrap && pair !== undefined) {
      await store.update(pair).catch((error) => logger.error({ err: error }, 'failed to store the bootstrap certificate'));
    }
    updateTtl();
  }

  /** Resolves to whether `work` was interrupted by a change of the template. Rejects if the manager stops or the work fails. */
  async function interrupted(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    return withController(signal, async (own) => {
      interruptible = own;
      try {
        await work(own.signal);
        return false;
      } catch (error) {
        if (signal.aborted || !own.signal.aborted) throw error;
        return true;
      } finally {
        interruptible = undefined;
      }
    });
  }

  async function waitUntil(deadline: number, signal: AbortSignal): Promise<void> {
    phase = 'waiting';
    rotateAt = deadline;
    for (let left = deadline - clock.now(); left > 0; left = deadline - clock.now()) {
      updateTtl();
      await clock.sleep(Math.min(left, recheckPeriodMs), signal);
    }
  }

  async function request(requested: CertificateTemplate, signal: AbortSignal): Promise<CertificatePair> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { commonName, organizations, dnsNames, ips } = requested;
    const csr = createCertificateRequest({ subject: { commonName, organizations }, publicKey, privateKey, dnsNames, ips });
    const error = () =>
      new NodeAgentError(certificateManagerErrorCodes.requestTimedOut, 'timed out waiting for the certificate', {
        retryable: true,
        hint: 'Check that the request is approved and signed: kubectl get csr',
      });
    const chain = await abandonAtDeadline({ clock, timeoutMs: requestTimeoutMs, error, signal }, async (own) =>
      requestCertificate?.({ csr, template: requested, current: current(), signal: own }),
    );
    return createCertificatePair(chain ?? '', privateKey.export({ type: 'sec1', format: 'pem' }).toString());
  }

  async function rotate(signal: AbortSignal): Promise<void> {
    const requested = template();
    if (requested === undefined) {
      throw new NodeAgentError(certificateManagerErrorCodes.noTemplate, 'unable to create a csr, no template available', {
        retryable: true,
      });
    }
    lastRequested = requested;
    const issued = await request(requested, signal);
    await store.update(issued);
    const previous = pair;
    pair = issued;
    isServerHealthy = true;
    if (previous !== undefined) metrics.observeRotation((clock.now() - previous.facts.notBefore) / 1_000);
    logger.info({ role, notAfter: issued.facts.notAfter }, 'certificate rotated');
    for (const listener of listeners) listener(issued);
    const problem = issuedProblem(issued.facts, requested, clock.now());
    if (problem !== undefined) throw new NodeAgentError(certificateManagerErrorCodes.certificateUnusable, problem, { retryable: true });
  }

  /** One attempt; resolves to whether it succeeded. */
  async function attempt(signal: AbortSignal): Promise<boolean> {
    phase = 'requesting';
    try {
      if (!(await interrupted(signal, rotate))) return true;
      lastError = 'the template changed';
    } catch (error) {
      signal.throwIfAborted();
      lastError = errorMessage(error);
      if (errorCode(error) === certificateManagerErrorCodes.requestNotCreated) isServerHealthy = isHealthyRefusal((error as Error).cause);
      logger.error({ role, err: error }, 'certificate rotation failed');
    }
    metrics.countRenewError();
    return false;
  }

  async function turn(signal: AbortSignal): Promise<void> {
    const input = { certificate: pair?.facts, template: template(), forceRotation, now: clock.now(), random: random() };
    const deadline = Number(rotationDeadline(input) / 1_000_000n);
    forceRotation = false;
    if (deadline > input.now && (await interrupted(signal, (own) => waitUntil(deadline, own)))) {
      const changed = template();
      if (changed !== undefined && lastRequested !== undefined && isSameTemplate(changed, lastRequested)) return;
    }
    rotateAt = undefined;
    if (template() === undefined) {
      phase = 'noTemplate';
      return;
    }
    for (failures = 0; !(await attempt(signal)); ) {
      failures += 1;
      updateTtl();
      const delayMs = rotationBackoffMs(failures, random());
      phase = 'backingOff';
      nextAttemptAt = clock.now() + delayMs;
      await clock.sleep(delayMs, signal);
    }
    failures = 0;
    lastError = undefined;
    updateTtl();
    phase = 'waiting';
  }

  const loop = createRunLoop(async (signal) => {
    try {
      for (;;) {
        await turn(signal);
        await clock.sleep(turnPeriodMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) logger.error({ role, err: error }, 'the certificate manager stopped');
    } finally {
      phase = 'stopped';
    }
  });

  return {
    async start(signal) {
      if (loop.isRunning) return loop.start(signal);
      await load();
      if (requestCertificate !== undefined) await loop.start(signal);
    },
    stop: () => loop.stop(),
    current,
    refreshTemplate() {
      const changed = template();
      if (changed === undefined || satisfiesTemplate(pair?.facts, changed)) return;
      if (lastRequested !== undefined && isSameTemplate(changed, lastRequested)) return;
      interruptible?.abort(new Error('the template changed'));
    },
    onRotation(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get isServerHealthy() {
      return isServerHealthy;
    },
    explain() {
      const certificate = pair?.facts;
      const state: CertificateState = {
        phase,
        certificate,
        now: clock.now(),
        failures,
        ...(phase === 'waiting' && { rotateAt }),
        ...(failures > 0 && { lastError }),
        ...(phase === 'backingOff' && { nextAttemptAt }),
      };
      return { ...state, isServerHealthy, message: explainCertificate(state) };
    },
  };
}
