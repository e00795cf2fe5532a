import { invalidOption, requirePositive } from '@nodeagent/api';

/** Settings with the names and defaults of KubeletConfiguration; `...Ms` are milliseconds. */
export interface ImageGcSettings {
  /** No image that is known for less goes to free space. Default 120000. */
  imageMinimumGCAgeMs?: number;
  /** An image that was not used for longer goes however much space there is; 0: none does. Default 0. */
  imageMaximumGCAgeMs?: number;
  /** Usage of the file system, in whole percent, from which on images go; 100 with no maximum age: no collection by itself. Default 85. */
  imageGCHighThresholdPercent?: number;
  /** Usage down to which images go, in whole percent; at most the upper one. Default 80. */
  imageGCLowThresholdPercent?: number;
  /** Time between two collections. Default 300000. */
  periodMs?: number;
  /** How long one call of a part may take (`runtimeRequestTimeout`). Default 120000. */
  runtimeRequestTimeoutMs?: number;
}

/**
 * Throws `InvalidOption` for thresholds and ages that KubeletConfiguration v1beta1 refuses together: a lower threshold that is not below the
 * upper one, and a maximum age that is not above the minimum age. The manager itself, as a kubelet's, accepts equal thresholds and any ages.
 */
export function checkImageGcSettings(settings: ImageGcSettings): void {
  const { imageMinimumGCAgeMs: minAge, imageMaximumGCAgeMs: maxAge, ...thresholds } = resolveSettings(settings);
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = thresholds;
  if (low >= high) throw invalidOption('settings.imageGCLowThresholdPercent', `less than imageGCHighThresholdPercent (${high})`, low);
  if (maxAge > 0 && maxAge <= minAge) {
    throw invalidOption('settings.imageMaximumGCAgeMs', `more than imageMinimumGCAgeMs (${minAge}), or 0`, maxAge);
  }
}

/** The settings with their defaults. Throws `InvalidOption` naming the field. */
export function resolveSettings(settings: ImageGcSettings = {}): Required<ImageGcSettings> {
  const resolved = {
    imageMinimumGCAgeMs: settings.imageMinimumGCAgeMs ?? 120_000,
    imageMaximumGCAgeMs: settings.imageMaximumGCAgeMs ?? 0,
    imageGCHighThresholdPercent: settings.imageGCHighThresholdPercent ?? 85,
    imageGCLowThresholdPercent: settings.imageGCLowThresholdPercent ?? 80,
    periodMs: settings.periodMs ?? 300_000,
    runtimeRequestTimeoutMs: settings.runtimeRequestTimeoutMs ?? 120_000,
  };
  for (const name of ['periodMs', 'runtimeRequestTimeoutMs'] as const) requirePositive(`settings.${name}`, resolved[name]);
  for (const name of ['imageMinimumGCAgeMs', 'imageMaximumGCAgeMs'] as const) {
    if (!(resolved[name] >= 0 && Number.isFinite(resolved[name]))) {
      throw invalidOption(`settings.${name}`, 'a number that is not negative', resolved[name]);
    }
  }
  for (const name of ['imageGCHighThresholdPercent', 'imageGCLowThresholdPercent'] as const) {
    const value = resolved[name];
    if (!(Number.isInteger(value) && value >= 0 && value <= 100)) {
      throw invalidOption(`settings.${name}`, 'a whole number from 0 to 100', value);
    }
  }
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = resolved;
  if (low > high) throw invalidOption('settings.imageGCLowThresholdPercent', `at most imageGCHighThresholdPercent (${high})`, low);
  return resolved;
}
