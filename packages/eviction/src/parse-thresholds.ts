import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { completeSettings, defaultEvictionHard, parseDuration, Quantity } from '@nodeagent/api/helpers';
import { evictionErrorCodes } from './errors.js';
import { evictionSettings, type ThresholdConfig } from './settings.js';
import { type EvictionSignal, isEvictionSignal, signalDefinitions } from './signals.js';
import { isHardThreshold, type Threshold, type ThresholdValue } from './threshold.js';

/**
 * The thresholds of a configuration, hard ones first. `0%` and `100%` disable a threshold. Kubernetes documentation, "Node-pressure
 * Eviction: Eviction thresholds". Throws `InvalidEvictionConfig` with the kubelet's wording.
 */
export function parseThresholds(config: ThresholdConfig): Threshold[] {
  const settings = completeSettings(evictionSettings, config);
  const { evictionHard, enforceNodeAllocatable } = settings;
  const hardConfig = settings.mergeDefaultEvictionSettings ? { ...defaultEvictionHard, ...evictionHard } : evictionHard;
  const hard = parseEach('evictionHard', hardConfig, parseLevel);
  const soft = parseEach('evictionSoft', settings.evictionSoft, parseLevel);
  const gracePeriods = parseEach('evictionSoftGracePeriod', settings.evictionSoftGracePeriod, parseGracePeriod);
  const minReclaims = parseEach('evictionMinimumReclaim', settings.evictionMinimumReclaim, parseMinReclaim);

  const threshold = (signal: EvictionSignal, value: ThresholdValue, gracePeriodSeconds: number): Threshold => {
    const minReclaim = minReclaims.get(signal);
    return { signal, operator: 'LessThan', value, gracePeriodSeconds, ...(minReclaim && { minReclaim }) };
  };
  const softGracePeriod = (signal: EvictionSignal): number => {
    const seconds = gracePeriods.get(signal);
    if (seconds !== undefined) return seconds;
    throw invalid('evictionSoftGracePeriod', signal, `grace period must be specified for the soft eviction threshold ${signal}`);
  };
  const thresholds = [
    ...Array.from(hard, ([signal, value]) => threshold(signal, value, 0)),
    ...Array.from(soft, ([signal, value]) => threshold(signal, value, softGracePeriod(signal))),
  ];
  if (!enforceNodeAllocatable.includes('pods')) return thresholds;
  const ofAllPods = thresholds.filter(isHardThreshold).flatMap((each): Threshold[] => {
    const { allPodsSignal } = signalDefinitions[each.signal];
    return allPodsSignal === undefined ? [] : [{ ...each, signal: allPodsSignal }];
  });
  return [...thresholds, ...ofAllPods];
}

function parseEach<T>(
  field: keyof ThresholdConfig,
  texts: Readonly<Record<string, string>>,
  parse: (signal: EvictionSignal, text: string) => T | undefined,
): Map<EvictionSignal, T> {
  const parsed = new Map<EvictionSignal, T>();
  for (const [signal, text] of Object.entries(texts)) {
    if (!isEvictionSignal(signal)) throw invalid(field, signal, `unsupported eviction signal ${signal}`);
    let value: T | undefined;
    try {
      value = parse(signal, text);
    } catch (error) {
      throw invalid(field, signal, errorMessage(error), error);
    }
    if (value !== undefined) parsed.set(signal, value);
  }
  return parsed;
}

/** Undefined for a disabled threshold. */
function parseLevel(signal: EvictionSignal, text: string): ThresholdValue | undefined {
  if (text === '0%' || text === '100%') return undefined;
  if (text.endsWith('%')) {
    const percentage = parsePercentage(text);
    if (percentage < 0) throw new Error(`eviction percentage threshold ${signal} must be >= 0%: ${text}`);
    if (percentage > 1) throw new Error(`eviction percentage threshold ${signal} must be <= 100%: ${text}`);
    return { percentage };
  }
  const quantity = Quantity.parse(text);
  if (quantity.sign <= 0) throw new Error(`eviction threshold ${signal} must be positive: ${quantity}`);
  return { quantity: quantity.toString() };
}

function parseMinReclaim(signal: EvictionSignal, text: string): ThresholdValue {
  if (text.endsWith('%')) {
    const percentage = parsePercentage(text);
    if (percentage <= 0) throw new Error(`eviction percentage minimum reclaim ${signal} must be positive: ${text}`);
    return { percentage };
  }
  const quantity = Quantity.parse(text);
  if (quantity.sign < 0) throw new Error(`negative eviction minimum reclaim specified for ${signal}`);
  return { quantity: quantity.toString() };
}

function parseGracePeriod(_signal: EvictionSignal, text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new Error(`${JSON.stringify(text)} is not a duration such as 1m30s`);
  if (ms < 0) throw new Error(`invalid eviction grace period specified: ${text}, must be a positive value`);
  return ms / 1000;
}

const finiteNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const infiniteNumber = /^([+-]?)inf(inity)?$/i;
const largestFloat32 = 3.4028235677973366e38;

/** The fraction as a 32-bit float. */
function parsePercentage(text: string): number {
  const digits = text.replace(/%+$/, '');
  if (/^nan$/i.test(digits)) return Number.NaN;
  const infinite = infiniteNumber.exec(digits);
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const number = finiteNumber.test(digits) ? Number(digits) : Number.NaN;
  if (!(Math.abs(number) < largestFloat32)) throw new Error(`${JSON.stringify(text)} is not a percentage`);
  return Math.fround(Math.fround(number) / 100);
}

function invalid(field: string, signal: string, message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(evictionErrorCodes.invalidConfig, message, { details: { field: `${field}[${signal}]` }, cause });
}
