import { invalidOption, requirePositive } from '@nodeagent/api';

/** Settings with the names and defaults of KubeletConfiguration; `...Ms` are milliseconds. */
export interface ImageGcSettings {
  /** Minimum age of an image that is removed to free space. Default 120000. */
  imageMinimumGCAgeMs?: number;
  /** Images unused for longer are removed at any disk usage; 0: off. Default 0. */
  imageMaximumGCAgeMs?: number;
  /** Usage of the file system in percent from which images are removed. With 100 and no maximum age collection is off. Default 85. */
  imageGCHighThresholdPercent?: number;
  /** Usage in percent at which the removal stops; at most the high threshold. Default 80. */
  imageGCLowThresholdPercent?: number;
  /** Time between two collections. Default 300000. */
  periodMs?: number;
  /** Timeout of a call of a port (`runtimeRequestTimeout`). Default 120000. */
  runtimeRequestTimeoutMs?: number;
}

/**
 * Throws `InvalidOption` for combinations that the validation of KubeletConfiguration v1beta1 rejects: a low threshold that is not below the
 * high one, and a maximum age that is not above the minimum age. The manager itself, as the kubelet's, accepts equal thresholds and any ages.
 */
export function checkImageGcSettings(settings: ImageGcSettings): void {
  const { imageMinimumGCAgeMs: minAge, imageMaximumGCAgeMs: maxAge, ...thresholds } = resolveSettings(settings);
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = thresholds;
  if (low >= high) throw invalidOption('settings.imageGCLowThresholdPercent', `less than imageGCHighThresholdPercent (${high})`, low);
  if (maxAge > 0 && maxAge <= minAge) {
    throw invalidOption('settings.imageMaximumGCAgeMs', `more than imageMinimumGCAgeMs (${minAge}), or 0`, maxAge);
  }
}

/** Validates the settings and applies the defaults. Throws `InvalidOption` naming the field. */
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
