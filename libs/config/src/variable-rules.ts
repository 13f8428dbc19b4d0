import { domainToASCII } from 'node:url';
import { Transform } from 'class-transformer';
import { IsInt, IsUrl, Matches, Max, Min, MinLength, ValidateBy } from 'class-validator';
import ipaddr from 'ipaddr.js';

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

/** A secret that `openssl rand -hex 32` could have made. */
export function IsSecret(options: { readonly each?: boolean } = {}): PropertyDecorator {
  return MinLength(32, { ...options, message: 'must be at least 32 random characters' });
}

/** A rule for every item of a list of texts. */
export function Each(rule: (text: string) => boolean, message: string): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && rule(value);
  return ValidateBy({ name: rule.name, validator: { validate } }, { each: true, message });
}

/** An address written in full, or a range of them (RFC 4632): `192.0.2.1`, `2001:db8::/32`. */
export function isAddressOrRange(text: string): boolean {
  return isAddress(text) || isRange(text);
}

/** A range in CIDR notation. */
export function isRange(text: string): boolean {
  return isAddress(text.split('/', 1)[0] ?? '') && ipaddr.isValidCIDR(text);
}

/** `on`, `true` and `1`, or `off`, `false` and `0`; anything else is left for a rule to refuse. */
export const toBoolean = Transform(({ value }: { value: unknown }) => {
  if (value === 'on' || value === 'true' || value === '1') return true;
  return value === 'off' || value === 'false' || value === '0' ? false : value;
});

/** Items between commas, without white space and empty ones. */
export const toList = toItems((item) => item);

/** The same in lower case. */
export const toNames = toItems((item) => item.toLowerCase());

/** Host names as A-labels, by which hosts are known; what is none is left for a rule to refuse. */
export const toHostNames = toItems((item) => aLabels(item) || item.toLowerCase());

const toNumber = Transform(({ value }: { value: unknown }) =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value,
);

const URL_OPTIONS = { require_tld: false, require_protocol: true };

function toItems(read: (item: string) => string): PropertyDecorator {
  const itemsOf = (text: string): readonly string[] =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(read);
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? itemsOf(value) : value));
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
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
