/** Dates, times and durations of RFC 3339. */

const DATE_PATTERN = String.raw`\d{4}-\d\d-\d\d`;
const TIME_PATTERN = String.raw`\d\d:\d\d:\d\d(?:\.\d+)?(?:[zZ]|[+-]\d\d:\d\d)`;
const WHOLE_DATE = new RegExp(`^${DATE_PATTERN}$`);
const WHOLE_TIME = new RegExp(`^${TIME_PATTERN}$`);
const WHOLE_DATE_TIME = new RegExp(`^${DATE_PATTERN}[tT]${TIME_PATTERN}$`);
const DATE_PARTS = String.raw`(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)`;
const TIME_PARTS = String.raw`T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)`;
const WHOLE_DURATION = new RegExp(String.raw`^P(?:\d+W|${TIME_PARTS}|${DATE_PARTS}(?:${TIME_PARTS})?)$`);

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MINUTES_IN_DAY = 24 * 60;
const ZONE_LENGTH = "+00:00".length;
const TIME_AT = "2026-07-28T".length;

export function isDate(text: string): boolean {
  return WHOLE_DATE.test(text) && hasRealDate(text);
}

export function isTime(text: string): boolean {
  return WHOLE_TIME.test(text) && hasRealTime(text, 0);
}

export function isDateTime(text: string): boolean {
  return WHOLE_DATE_TIME.test(text) && hasRealDate(text) && hasRealTime(text, TIME_AT);
}

export function isDuration(text: string): boolean {
  return WHOLE_DURATION.test(text);
}

function hasRealDate(text: string): boolean {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeapYear ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

function hasRealTime(text: string, at: number): boolean {
  const hour = twoDigits(text, at);
  const minute = twoDigits(text, at + 3);
  const second = twoDigits(text, at + 6);
  const zoneAt = text.length - ZONE_LENGTH;
  const isUtc = text.endsWith("Z") || text.endsWith("z");
  const zoneHour = isUtc ? 0 : twoDigits(text, zoneAt + 1);
  const zoneMinute = isUtc ? 0 : twoDigits(text, zoneAt + 4);
  if (hour > 23 || minute > 59 || zoneHour > 23 || zoneMinute > 59) return false;
  if (second < 60) return true;
  // A leap second comes at the end of a day in UTC.
  const offset = zoneHour * 60 + zoneMinute;
  const zone = text[zoneAt] === "-" ? -offset : offset;
  const minuteOfDay = (hour * 60 + minute - zone + MINUTES_IN_DAY) % MINUTES_IN_DAY;
  return second === 60 && minuteOfDay === MINUTES_IN_DAY - 1;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}
