const UNITS = /** @type {const} */ ([
  ['day', 86400],
  ['hour', 3600],
  ['minute', 60],
]);
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/**
 * How far away a time is: `3 minutes ago`, `in 12 minutes`, `just now`.
 * @param {number} at in milliseconds since 1970
 */
export function relativeTime(at) {
  const seconds = (at - Date.now()) / 1000;
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  return unit ? words.format(Math.trunc(seconds / unit[1]), unit[0]) : 'just now';
}
