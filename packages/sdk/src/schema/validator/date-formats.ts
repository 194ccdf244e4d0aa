/** Dates, times and durations as RFC 3339 writes them. */

const datePattern = String.raw`\d{4}-\d\d-\d\d`;
const timePattern = String.raw`\d\d:\d\d:\d\d(?:\.\d+)?(?:[zZ]|[+-]\d\d:\d\d)`;
const wholeDate = new RegExp(`^${datePattern}$`);
const wholeTime = new RegExp(`^${timePattern}$`);
const wholeDateTime = new RegExp(`^${datePattern}[tT]${timePattern}$`);
const dateParts = String.raw`(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)`;
const timeParts = String.raw`T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)`;
const wholeDuration = new RegExp(String.raw`^P(?:\d+W|${timeParts}|${dateParts}(?:${timeParts})?)$`);

const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const minutesInDay = 24 * 60;
const zoneLength = "+00:00".length;
const timeAt = "2026-07-28T".length;

export function isDate(text: string): boolean {
  return wholeDate.test(text) && hasRealDate(text);
}

export function isTime(text: string): boolean {
  return wholeTime.test(text) && hasRealTime(text, 0);
}

export function isDateTime(text: string): boolean {
  return wholeDateTime.test(text) && hasRealDate(text) && hasRealTime(text, timeAt);
}

export function isDuration(text: string): boolean {
  return wholeDuration.test(text);
}

function hasRealDate(text: string): boolean {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeapYear ? 29 : (daysInMonth[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

function hasRealTime(text: string, at: number): boolean {
  const hour = twoDigits(text, at);
  const minute = twoDigits(text, at + 3);
  const second = twoDigits(text, at + 6);
  const zoneAt = text.length - zoneLength;
  const isUtc = text.endsWith("Z") || text.endsWith("z");
  const zoneHour = isUtc ? 0 : twoDigits(text, zoneAt + 1);
  const zoneMinute = isUtc ? 0 : twoDigits(text, zoneAt + 4);
  if (hour > 23 || minute > 59 || zoneHour > 23 || zoneMinute > 59) return false;
  if (second < 60) return true;
  // A leap second comes at the end of a day in UTC.
  const zone = (zoneHour * 60 + zoneMinute) * (text[zoneAt] === "-" ? -1 : 1);
  const minuteOfDay = (hour * 60 + minute - zone + minutesInDay) % minutesInDay;
  return second === 60 && minuteOfDay === minutesInDay - 1;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}
