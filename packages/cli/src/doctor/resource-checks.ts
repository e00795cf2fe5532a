import { type Check, failed, ok, warning } from './check.js';

/** The kubelet evicts pods below these shares of free space and inodes: `nodefs.available` and `nodefs.inodesFree`. */
const minSpace = 0.1;
const minInodes = 0.05;
const minBytes = 2 ** 30;

/** Of a fresh kernel some are lower than a node with 110 pods uses. */
const minSysctls = { 'fs/inotify/max_user_instances': 128, 'fs/inotify/max_user_watches': 8192 } as const;

/** No clock is right before the year of this code. */
const earliest = Date.UTC(2026, 0, 1);

export const resourceChecks: readonly Check[] = [
  {
    name: 'disk',
    run({ storage: { path, type, availableBytes, totalBytes, availableInodes, totalInodes } }) {
      const share = totalBytes === 0 ? 1 : availableBytes / totalBytes;
      const text = `${gibibytes(availableBytes)} of ${gibibytes(totalBytes)} GiB free at ${path} (${type})`;
      if (availableBytes < minBytes || share < minSpace) return warning(text, 'free space, or set --root-dir: pods are evicted below 10 %');
      // btrfs and others report none.
      if (totalInodes > 0 && availableInodes / totalInodes < minInodes) {
        return warning(`${text}, ${availableInodes} of ${totalInodes} inodes`, 'remove files: pods are evicted below 5 % of the inodes');
      }
      return ok(text);
    },
  },
  {
    name: 'inotify',
    run({ sysctls }) {
      const low = Object.entries(minSysctls).filter(([name, min]) => (sysctls[name] ?? min) < min);
      if (low.length === 0)
        return ok(`${sysctls['fs/inotify/max_user_instances']} instances, ${sysctls['fs/inotify/max_user_watches']} watches`);
      const names = low.map(([name]) => `${name.replaceAll('/', '.')} is ${sysctls[name]}`);
      return warning(names.join(', '), `sysctl -w ${low.map(([name, min]) => `${name.replaceAll('/', '.')}=${min}`).join(' ')}`);
    },
  },
  {
    name: 'swap',
    run: ({ swapBytes }) => ok(swapBytes === 0 ? 'off' : `${gibibytes(swapBytes)} GiB: the agent starts unless failSwapOn is true`),
  },
  {
    name: 'clock',
    run({ clock: { now, services } }) {
      const date = new Date(now).toISOString().slice(0, 10);
      if (now < earliest) return failed(`${date} is in the past: certificates are not valid yet`, 'set the clock');
      if (services.length > 0) return ok(`${date}, set by ${services.join(', ')}`);
      return warning(
        `${date}, and no time service runs`,
        'run chrony or systemd-timesyncd, unless the host of this machine sets its clock',
      );
    },
  },
];

const gibibytes = (bytes: number) => (bytes / 2 ** 30).toFixed(1);
