// Installs containerd once for the end-to-end tests and the recorded pod lifecycles, which run beside each other.
import { provideContainerd } from './provide-containerd.js';

const { found } = provideContainerd(true);
for (const { series, dir } of found) console.log(`containerd ${series} in ${dir}`);
