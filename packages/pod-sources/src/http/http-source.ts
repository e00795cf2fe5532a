import {
  type Clock,
  errorMessage,
  invalidOption,
  type Logger,
  NodeAgentError,
  type Pod,
  type PodSource,
  silentLogger,
  systemClock,
  type Timer,
  withDeadline,
} from '@nodeagent/api';
import { compareBytes, completeSettings, type GivenSettings, type SettingsOf } from '@nodeagent/api/helpers';
import { podSourcesErrorCodes, requireText } from '../errors.js';
import { decodeManifest } from '../manifest/decode-manifest.js';
import { manifestSourceSettings } from '../settings.js';
import { fetchGet, type HttpGet } from './http-get.js';

export interface HttpSourceOptions extends GivenSettings<typeof manifestSourceSettings> {
  /** URL of the manifest: a pod or a `PodList`, as YAML or JSON (`staticPodURL`). */
  url: string;
  /** Sent with each request (`staticPodURLHeader`). Default: none. */
  headers?: Readonly<Record<string, string>>;
  /** Part of the pods' names. */
  nodeName: string;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: `fetch`. */
  get?: HttpGet;
  logger?: Logger;
  /** Called with a one-line error for each new or changed error of the URL or its manifest. */
  onError?: (error: NodeAgentError) => void;
  /** Called with the error of the last answer when it appears, changes or is resolved: one or none. */
  onErrors?: (errors: readonly NodeAgentError[]) => void;
  /** Called with one line for unknown fields. */
  onWarning?: (message: string) => void;
}

const timeoutMs = 10_000;
const sizeLimit = 10 * 1024 * 1024;
const late = new Error(`no answer within ${timeoutMs / 1000} s`);

/**
 * Pods from a URL, which is polled. One invalid pod makes the whole list invalid; in that case, and while the URL cannot be read, the
 * current pods are kept. An empty response means no pods. {@link PodSource.start} resolves after the first request.
 */
export function createHttpSource(options: HttpSourceOptions): PodSource {
  requireText('nodeName', options.nodeName);
  const settings = completeSettings(manifestSourceSettings, options, '');
  if (!URL.canParse(options.url) || !/^https?:$/.test(new URL(options.url).protocol))
    throw invalidOption('url', 'an http or https URL', options.url);
  let run: ReturnType<typeof startRun> | undefined;
  let listened: AbortSignal | undefined;
  const onAbort = () => void source.stop();
  const source: PodSource = {
    name: 'http',
    onPods: undefined,
    async start(signal) {
      if (signal?.aborted) return;
      if (run === undefined) {
        run = startRun({ ...options, ...settings }, (pods) => source.onPods?.(pods));
        listened = signal;
        listened?.addEventListener('abort', onAbort, { once: true });
      }
      await run.ready;
    },
    async stop() {
      const ending = run;
      run = undefined;
      listened?.removeEventListener('abort', onAbort);
      await ending?.stop();
    },
  };
  return source;
}

/** A decoded response; without a list the current pods are kept. */
interface Decoded {
  pods: Pod[] | undefined;
  problem: NodeAgentError | undefined;
}

function startRun(options: HttpSourceOptions & SettingsOf<typeof manifestSourceSettings>, onPods: (pods: Pod[]) => void) {
  const { url, headers = {}, nodeName, clock = systemClock, checkIntervalMs, get = fetchGet } = options;
  const { logger = silentLogger, onError = () => {}, onErrors = () => {}, onWarning = () => {} } = options;
  const place = placeOf(url);
  const ended = new AbortController();
  let timer: Timer | undefined;
  let last: { body: Uint8Array; problem: NodeAgentError | undefined } | undefined;
  let lastReported: string | undefined;

  const report = (error: NodeAgentError | undefined) => {
    if (ended.signal.aborted) return;
    if (error !== undefined && error.message !== lastReported) {
      logger.error({ err: error }, 'cannot read manifests');
      onError(error);
    }
    if (error?.message !== lastReported) onErrors(error === undefined ? [] : [error]);
    lastReported = error?.message;
  };
  const unreadable = (why: string, cause?: unknown) =>
    new NodeAgentError(podSourcesErrorCodes.unreadableManifest, `${place}: ${why}`, { retryable: true, details: { file: place }, cause });

  const requestUntil = async (signal: AbortSignal): Promise<Uint8Array> => {
    try {
      const answer = await get(url, { headers, limit: sizeLimit, signal });
      if (answer.status !== 200) throw unreadable(`${answer.status} ${answer.statusText}`.trimEnd());
      if (answer.body.length > sizeLimit) throw unreadable(`larger than the limit of ${sizeLimit} bytes`);
      return answer.body;
    } catch (error) {
      if (error instanceof NodeAgentError) throw error;
      throw unreadable(errorMessage(signal.reason === late ? late : error), error);
    }
  };

  const request = () => withDeadline({ clock, timeoutMs, signal: ended.signal, error: () => late }, requestUntil);

  const decode = async (body: Uint8Array): Promise<Decoded> => {
    const documents = await decodeManifest(new TextDecoder().decode(body), { source: 'http', url: place, nodeName });
    for (const warning of documents.flatMap(({ warnings }) => warnings)) {
      logger.warn(warning);
      onWarning(warning);
    }
    const problem = documents.find(({ error }) => error !== undefined)?.error;
    return { problem, pods: problem ? undefined : documents.flatMap(({ pod }) => (pod ? [pod] : [])) };
  };

  /** Emits the pods of a changed response; returns its error. */
  const take = async (body: Uint8Array): Promise<NodeAgentError | undefined> => {
    if (last !== undefined && body.length > 0 && compareBytes(last.body, body) === 0) return last.problem;
    const { pods, problem } = body.length === 0 ? emptyAnswer(place) : await decode(body);
    if (ended.signal.aborted) return undefined;
    last = { body, problem };
    if (pods !== undefined) onPods(pods);
    return problem;
  };

  const check = async () => {
    timer = clock.setTimeout(again, checkIntervalMs);
    try {
      report(await take(await request()));
    } catch (error) {
      report(error instanceof NodeAgentError ? error : unreadable(errorMessage(error), error));
    }
  };
  let working: Promise<void>;
  const again = () => {
    working = working.then(check);
  };

  working = check();
  return {
    ready: working,
    async stop() {
      ended.abort();
      await working;
      timer?.cancel();
    },
  };
}

const emptyAnswer = (place: string): Decoded => ({
  pods: [],
  problem: new NodeAgentError(podSourcesErrorCodes.notAPod, `zero-length data received from ${place}`),
});

/** The URL without possible secrets: user, password and query. */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
