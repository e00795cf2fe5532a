/**
 * The settings of the server: names, defaults and checks. A separate entry, which does not load the server.
 * @packageDocumentation
 */
import { type GivenSettings, notNegative, type SettingTable, wholeNumberFrom } from '@nodeagent/api/helpers';

/** The settings of the server, with the names and defaults of KubeletConfiguration. */
export const nodeServerSettings = {
  /** Enables all endpoints beyond stats and pods. Default true; false on the read-only port. */
  enableDebuggingHandlers: { default: true, field: 'enableDebuggingHandlers' },
  /** `/logs/`. Default true. */
  enableSystemLogHandler: { default: true, field: 'enableSystemLogHandler' },
  /** `/debug/pprof/`. Default true. */
  enableProfilingHandler: { default: true, field: 'enableProfilingHandler' },
  /** `/debug/flags/v`. Default true. */
  enableDebugFlagsHandler: { default: true, field: 'enableDebugFlagsHandler' },
  /**
   * Maximum number of connections of each port. At the limit the oldest one whose client has not authenticated is closed for a new one; if
   * all have, the new one is closed. Default 1000.
   */
  maxConnections: { default: 1_000, check: { rule: 'a whole number above 0', accepts: wholeNumberFrom(1).accepts } },
  /**
   * Serves `/debug/pprof/heapsnapshot` to users who may get `nodes/proxy`. A snapshot contains the whole memory of the process: the
   * server's private key, tokens, and the Secrets of all pods. Taking it blocks the process for seconds. Default false.
   */
  enableHeapSnapshots: { default: false },
} satisfies SettingTable;

/** Settings of {@link nodeServerSettings}. */
export type NodeServerSettings = GivenSettings<typeof nodeServerSettings>;

/** The settings of authentication, with the names of KubeletConfiguration's `authentication`. */
export const authenticationSettings = {
  /** Whether requests without credentials are `system:anonymous`. Default false. */
  anonymous: { default: false, field: 'authentication.anonymous.enabled' },
  /** Milliseconds for which token reviews are cached. Default 120000. */
  cacheTTLMs: { default: 120_000, unit: 'ms', check: notNegative, field: 'authentication.webhook.cacheTTL' },
} satisfies SettingTable;

/** The settings of authorization by the API server, with the names of KubeletConfiguration's `authorization`. */
export const authorizationSettings = {
  /** Milliseconds for which an allowed request is cached. Default 300000. */
  cacheAuthorizedTTLMs: { default: 300_000, unit: 'ms', check: notNegative, field: 'authorization.webhook.cacheAuthorizedTTL' },
  /** Milliseconds for which a denied request is cached. Default 30000. */
  cacheUnauthorizedTTLMs: { default: 30_000, unit: 'ms', check: notNegative, field: 'authorization.webhook.cacheUnauthorizedTTL' },
} satisfies SettingTable;
