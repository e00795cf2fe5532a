export declare function bundleCommand(): Promise<void>;
