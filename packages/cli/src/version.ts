import manifest from '../package.json' with { type: 'json' };

/** The version of the command's package. */
export const { version } = manifest;
