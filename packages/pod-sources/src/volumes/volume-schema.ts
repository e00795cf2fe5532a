import { struct, text } from '../manifest/schema.js';
import { volumeSourceRules } from './volume-source-rules.js';

const sources = Object.entries(volumeSourceRules).map(([kind, { fields }]) => [kind, struct(fields)]);

/** Every volume source of the API, including unsupported ones: these are refused by name, not as unknown fields. */
export const volume = struct({ name: text, ...Object.fromEntries(sources) });
