import { element, setText } from './dom.js';

/** The node's time, and this one's when it was received, in milliseconds. */
let [received, receivedAt] = [0, 0];
let rate = 1;

/** Sets the node's time; that of a simulated node runs `speed` times as fast as this one. */
export function setNodeTime(now, speed = 1) {
  [received, receivedAt] = [now, Date.now()];
  rate = speed;
}

export const nodeNow = () => received + (Date.now() - receivedAt) * rate;

/** `42 s`, `7 min`, `3 h 5 min`, `4 d 2 h`. */
export function duration(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return hours % 24 ? `${Math.floor(hours / 24)} d ${hours % 24} h` : `${Math.floor(hours / 24)} d`;
}

const words = {
  age: (at) => duration(nodeNow() - at),
  ago: (at) => `${duration(nodeNow() - at)} ago`,
  until: (at) => (at > nodeNow() ? `in ${duration(at - nodeNow())}` : 'now'),
};

/** A time relative to now, kept up to date: `age`, `ago` or `until`. */
export function relativeTime(at, form) {
  return element('time', { datetime: new Date(at).toISOString(), title: fullTime(at), 'data-form': form, text: words[form](at) });
}

/** Updates all relative times. */
export function refreshTimes() {
  for (const time of document.querySelectorAll('time[data-form]')) {
    setText(time, words[time.dataset.form](Date.parse(time.dateTime)));
  }
}

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const ofDay = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

export const fullTime = (at) => full.format(at);
export const timeOfDay = (at) => ofDay.format(at);

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Cores as kubectl prints them: `210m`, `1.5`. */
export const cores = (value) => (value < 1 ? `${Math.round(value * 1000)}m` : value.toFixed(value < 10 ? 2 : 1));

/** `11.2 GiB`, `32768`. */
export function amount(value, unit) {
  if (unit === 'count') return value >= 100_000 ? `${(value / 1e6).toFixed(1)} M` : `${value}`;
  let scaled = value;
  let step = 0;
  while (scaled >= 1024 && step < byteUnits.length - 1) {
    scaled /= 1024;
    step += 1;
  }
  return `${scaled >= 100 || step === 0 ? Math.round(scaled) : scaled.toFixed(1)} ${byteUnits[step]}`;
}
