import type { Usage } from './measure-agent.js';

/** A row of the table of `docs/performance.md`. */
export interface Row {
  label: string;
  of: keyof Usage;
  unit: string;
  /** Digits after the decimal point. */
  digits: number;
  /** The goal of the ratio on each Node. */
  goal: number;
}

export const rows: readonly Row[] = [
  { label: 'start to a ready node, cold, CPU', of: 'coldStartCpu', unit: 's', digits: 2, goal: 1 },
  { label: 'start to a ready node, cold, wall', of: 'coldStartWall', unit: 's', digits: 2, goal: 0.6 },
  { label: 'RSS without pods', of: 'rssWithoutPods', unit: 'MiB', digits: 1, goal: 0.77 },
  { label: 'CPU to start 60 pods', of: 'startCpu', unit: 's', digits: 2, goal: 0.85 },
  { label: 'wall time to start 60 pods', of: 'startWall', unit: 's', digits: 2, goal: 0.95 },
  { label: 'RSS with 60 pods', of: 'rssWith60Pods', unit: 'MiB', digits: 1, goal: 0.62 },
  { label: 'idle CPU with 60 pods', of: 'idleCpu', unit: '% of a core', digits: 2, goal: 0.15 },
  { label: 'CPU to stop 60 pods', of: 'stopCpu', unit: 's', digits: 2, goal: 0.6 },
  { label: 'wall time to stop 60 pods', of: 'stopWall', unit: 's', digits: 2, goal: 0.7 },
  { label: 'CPU to start 15 pods one by one', of: 'serialStartCpu', unit: 's', digits: 2, goal: 0.9 },
  { label: 'CPU to stop these', of: 'serialStopCpu', unit: 's', digits: 2, goal: 0.9 },
  { label: 'time to Ready of these, median', of: 'serialReady', unit: 'ms', digits: 0, goal: 0.9 },
  { label: 'RSS with 110 pods', of: 'rssWith110Pods', unit: 'MiB', digits: 1, goal: 0.6 },
];
