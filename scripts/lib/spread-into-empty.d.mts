import type { Options } from 'tsup';

export declare function spreadIntoEmpty(): NonNullable<Options['plugins']>[number];
export declare function rewriteSpreads(text: string): string;
