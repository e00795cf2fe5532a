// Installs containerd, crun and conmon once, for unit and end-to-end tests and the recorded pod lifecycles, which run beside each other.
import { provideContainerd } from './containerd/provide-containerd.js';
import { provideOciPrograms } from './oci/provide-oci-programs.js';

const { found } = provideContainerd(true);
for (const { series, dir } of found) console.log(`containerd ${series} in ${dir}`);
provideOciPrograms();
