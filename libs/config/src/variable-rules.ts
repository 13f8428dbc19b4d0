import { domainToASCII } from 'node:url';
import { Transform } from 'class-transformer';
import { IsInt, IsUrl, Matches, Max, Min } from 'class-validator';

/** Rules that several variables share, each with its sentence, which follows the variable's name. */

/** Digits between two bounds, both included; `what` names the quantity, such as `whole number of days`. */
export function IsNumberWithin(min: number, max: number, what = 'whole number'): PropertyDecorator {
  const message = `must be a ${what}, ${min} to ${max}`;
  return every(toNumber, IsInt({ message }), Min(min, { message }), Max(max, { message }));
}

/** A TCP port, 0 for any free one. */
export function IsPort(): PropertyDecorator {
  return IsNumberWithin(0, 65_535, 'port number');
}

/** An absolute URL; names without a dot are good ones within a network of containers. */
export function IsUrlOf(protocols: readonly string[], message: string): PropertyDecorator {
  return IsUrl({ ...URL_OPTIONS, protocols: [...protocols] }, { message });
}

/** Comma-separated http(s) URLs. */
export function AreHttpUrls(message: string): PropertyDecorator {
  return every(toList, IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] }, { each: true, message }));
}

/** A private key of secp256k1. */
export function IsPrivateKey(): PropertyDecorator {
  return Matches(/^0x[0-9a-fA-F]{64}$/, { message: 'must be a private key: 0x and 64 hex digits' });
}

/** `on`, `true` and `1`, or `off`, `false` and `0`; anything else is left for a rule to refuse. */
export const toBoolean = Transform(({ value }: { value: unknown }) => {
  if (value === 'on' || value === 'true' || value === '1') return true;
  return value === 'off' || value === 'false' || value === '0' ? false : value;
});

/** Items between commas, without white space and empty ones. */
export const toList = Transform(({ value }: { value: unknown }) =>
  typeof value === 'string' ? itemsOf(value) : value,
);

/** The same in lower case. */
export const toNames = Transform(({ value }: { value: unknown }) =>
  typeof value === 'string' ? itemsOf(value.toLowerCase()) : value,
);

/** Host names as A-labels, by which hosts are known; what is none is left for a rule to refuse. */
export const toHostNames = Transform(({ value }: { value: unknown }) =>
  typeof value === 'string' ? itemsOf(value.toLowerCase()).map((name) => aLabels(name) || name) : value,
);

const toNumber = Transform(({ value }: { value: unknown }) =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value,
);

const URL_OPTIONS = { require_tld: false, require_protocol: true };

function itemsOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Empty when there are none. */
function aLabels(name: string): string {
  return name.includes('/') ? '' : domainToASCII(name);
}

function every(...rules: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const rule of rules) rule(target, property);
  };
}
