import { parseTime } from '@nodeagent/api/helpers';

/** Formats a number as the kubelet does (`%v`): with an exponent from a million on and below 0.0001. */
export function formatFloat(value: number): string {
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Formats a Kubernetes time as the kubelet does, in UTC; returns an invalid time unchanged. */
export function formatGoTime(time: string): string {
  const ms = parseTime(time);
  if (ms === undefined) return time;
  const [date, clock] = new Date(ms).toISOString().split('T');
  const fraction = /\.\d*[1-9]/.exec(time)?.[0] ?? '';
  return `${date} ${clock?.slice(0, 8)}${fraction} +0000 UTC`;
}
