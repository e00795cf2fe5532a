import type { Options } from 'tsup';

export declare function thirdPartyNotices(): NonNullable<Options['esbuildPlugins']>[number];
