import { Quantity } from '@nodeagent/api/helpers';
import type { Level } from '@nodeagent/pod-view/health';
import type { PageEviction } from './options.js';

/** Usage of a resource with its eviction thresholds. */
export interface PressureBar {
  /** The display name of its signals, such as `disk`. */
  name: string;
  /** The signals with this usage, such as `nodefs.available`. */
  signals: string[];
  unit: 'bytes' | 'count';
  used: number;
  capacity: number;
  /** 0 to 100, with one decimal. */
  usedPercent: number;
  level: Level;
  /** Each threshold once, the first to be met first. */
  marks: PressureMark[];
}

/** A threshold on the bar. */
export interface PressureMark {
  /** Position, 0 to 100. */
  percent: number;
  /** Minimum that must remain free. */
  left: number;
  /** The signals with this threshold. */
  signals: string[];
  /** 0: pods are evicted immediately. */
  gracePeriodSeconds: number;
  /** Time of the eviction if usage stays, milliseconds since 1970; absent while the threshold is not met. */
  evictsAt?: number;
}

/** One bar for signals with the same usage, because images are often on the node's file system. Signals without usage have none. */
export function pressureBars({ thresholds }: Pick<PageEviction, 'thresholds'>): PressureBar[] {
  const bars = new Map<string, PressureBar>();
  for (const { signal, gracePeriodSeconds, displayName: name, unit, available, capacity, level, evictsAt } of thresholds) {
    if (available === undefined || capacity === undefined || level === undefined) continue;
    const all = amount(capacity);
    if (all <= 0) continue;
    const key = [name, available, capacity].join(' ');
    const used = Math.min(all, Math.max(0, all - amount(available)));
    const bar = bars.get(key) ?? {
      name,
      signals: [],
      unit,
      used,
      capacity: all,
      usedPercent: percent(used, all),
      level: 'ok',
      marks: [],
    };
    bars.set(key, bar);
    if (!bar.signals.includes(signal)) bar.signals.push(signal);
    const left = amount(level);
    addMark(bar.marks, {
      ...{ percent: percent(all - left, all), left, signals: [signal], gracePeriodSeconds },
      ...(evictsAt !== undefined && { evictsAt }),
    });
    bar.level = worse(bar.level, markLevel({ left: amount(available), threshold: left, isMet: evictsAt !== undefined, all }));
  }
  return [...bars.values()];
}

/** Signals of one file system often have the same threshold. */
function addMark(marks: PressureMark[], mark: PressureMark): void {
  const same = marks.find(({ left, gracePeriodSeconds }) => left === mark.left && gracePeriodSeconds === mark.gracePeriodSeconds);
  if (same !== undefined) {
    same.signals.push(...mark.signals);
    return;
  }
  marks.push(mark);
  marks.sort((a, b) => b.left - a.left);
}

/** Margin above a threshold, as a part of the capacity, within which the level is `warn`. */
const warnMargin = 0.05;

function markLevel({ left, threshold, isMet, all }: { left: number; threshold: number; isMet: boolean; all: number }): Level {
  if (isMet || left < threshold) return 'bad';
  return left < threshold + warnMargin * all ? 'warn' : 'ok';
}

const worse = (a: Level, b: Level): Level => (a === 'bad' || b === 'bad' ? 'bad' : a === 'warn' || b === 'warn' ? 'warn' : 'ok');
const amount = (text: string) => Number(Quantity.parse(text).value());
const percent = (part: number, all: number) => Math.round(Math.min(100, Math.max(0, (part / all) * 100)) * 10) / 10;
