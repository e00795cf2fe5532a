import { errorMessage, invalidOptionText, Quantity } from '@nodeagent/api';

/** Settings with the names and defaults of KubeletConfiguration; times are in milliseconds. */
export interface LogRotatorSettings {
  /** Size from which a log is rotated, as a quantity. Negative: never. Default `10Mi`. */
  containerLogMaxSize?: string;
  /** Maximum number of files for each attempt of a container, including the current log; more than 1. Default 5. */
  containerLogMaxFiles?: number;
  /** Maximum number of logs rotated concurrently. Default 1. */
  containerLogMaxWorkers?: number;
  /** Period of the checks; at least 3 s. Default 10 s. */
  containerLogMonitorIntervalMs?: number;
}

export interface ResolvedLogSettings {
  /** Bytes; negative for never. */
  maxSize: bigint;
  maxFiles: number;
  maxWorkers: number;
  monitorIntervalMs: number;
}

/** Validates the settings and applies the defaults. Throws InvalidOption with the kubelet's message, naming the field. */
export function resolveLogSettings(settings: LogRotatorSettings = {}): ResolvedLogSettings {
  const { containerLogMaxFiles: maxFiles = 5, containerLogMaxWorkers: maxWorkers = 1 } = settings;
  const { containerLogMonitorIntervalMs: monitorIntervalMs = 10_000 } = settings;
  const check = (field: keyof LogRotatorSettings, holds: boolean, demand: string, name: string = field) => {
    if (!holds) throw invalidOptionText(`settings.${field}`, `invalid configuration: ${name} must be ${demand}`);
  };
  check('containerLogMaxFiles', Number.isSafeInteger(maxFiles) && maxFiles > 1, 'greater than 1');
  check('containerLogMaxWorkers', Number.isSafeInteger(maxWorkers) && maxWorkers >= 1, 'greater than or equal to 1');
  const interval = 'a positive time duration greater than or equal to 3s';
  check('containerLogMonitorIntervalMs', monitorIntervalMs >= 3_000, interval, 'containerLogMonitorInterval');
  return { maxSize: parseMaxSize(settings.containerLogMaxSize ?? '10Mi'), maxFiles, maxWorkers, monitorIntervalMs };
}

function parseMaxSize(text: string): bigint {
  try {
    return Quantity.parse(text).value();
  } catch (cause) {
    const message = `failed to parse container log configuration "containerLogMaxSize": ${text}: ${errorMessage(cause)}`;
    throw invalidOptionText('settings.containerLogMaxSize', message, { cause });
  }
}
