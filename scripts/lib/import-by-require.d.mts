import type { Options } from 'tsup';

export declare function importByRequire(): NonNullable<Options['plugins']>[number];
