import manifest from '../package.json' with { type: 'json' };

/** The version of this package, which the runtime reports as its `runtimeVersion`. */
export const { version } = manifest;
