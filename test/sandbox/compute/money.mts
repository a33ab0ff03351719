/** Hours and amounts are rounded to a millionth, so that sums of decimals equal the numbers that a test writes. */
export const toMillionth = (value: number): number => Math.round(value * 1e6) / 1e6;

export const HOUR = 3_600_000;
export const MINUTE = 60_000;
