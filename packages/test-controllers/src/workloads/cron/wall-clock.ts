/** Time as a clock in a time zone shows it. */
export interface WallTime {
  month: number;
  day: number;
  /** 0 is Sunday. */
  weekday: number;
  hour: number;
  minute: number;
}

export interface WallClock {
  /** `time` is in milliseconds since 1970. */
  at(time: number): WallTime;
  /** The first minute of the next day. */
  nextDay(time: number): number;
}

const minuteMs = 60_000;
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The clock of a time zone. Throws a `RangeError` if it is unknown. */
export function wallClock(timeZone: string): WallClock {
  const at = timeZone === 'UTC' ? utcTime : zonedTime(timeZone);
  const minutesOfDay = (time: number) => at(time).hour * 60 + at(time).minute;
  return {
    at,
    nextDay(time) {
      const { day } = at(time);
      let next = time + (24 * 60 - minutesOfDay(time)) * minuteMs;
      // The day had another length, because the zone's offset changed.
      if (at(next).day === day) next += (24 * 60 - minutesOfDay(next)) * minuteMs;
      const earlier = next - minutesOfDay(next) * minuteMs;
      return at(earlier).day === at(next).day ? earlier : next;
    },
  };
}

function utcTime(time: number): WallTime {
  const date = new Date(time);
  return {
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
  };
}

function zonedTime(timeZone: string): (time: number) => WallTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    month: 'numeric',
    day: 'numeric',
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
    const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    return {
      month: number('month'),
      day: number('day'),
      weekday: weekdays.indexOf(parts.get('weekday') ?? ''),
      hour: number('hour'),
      minute: number('minute'),
    };
  };
}

/** A time with the offset of a time zone: `2026-01-01T05:30:00+05:30`. */
export function zonedRfc3339(time: number, timeZone = 'UTC'): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(time);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [offset, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  if (!offset || offset === '+00:00') return new Date(time).toISOString().replace('.000Z', 'Z');
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * minuteMs * (sign === '-' ? -1 : 1);
  return `${new Date(time + offsetMs).toISOString().slice(0, 19)}${offset}`;
}
