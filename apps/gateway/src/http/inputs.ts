import { checksumHolds, checksummed, DETECTOR_IDS } from '@app/detectors';
import type { HostName } from '@app/hosts';
import { caip2OfV1Name, canonicalNetworkId, isEvmAddress, networkById } from '@app/networks';
import { Transform } from 'class-transformer';
import {
  ArrayNotEmpty,
  IsIn,
  IsOptional,
  IsString,
  MaxLength,
  ValidateBy,
  ValidateIf,
  type ValidationArguments,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { readHost, readProtocol, type Reading } from './arguments';

/** Property decorators here are only used on string names, never on symbols. */
type MemberDecorator = (target: object, member: string) => void;

/** Combines decorators of one property; the first is applied first. */
function all(...decorators: readonly MemberDecorator[]): PropertyDecorator {
  return (target, member) => {
    for (const decorate of decorators) decorate(target, String(member));
  };
}

/** A property with a description, and optional further schema keywords. */
export const Described = (description: string, schema: object = {}): PropertyDecorator =>
  all(JSONSchema({ description, ...schema }));

type Members = Readonly<Record<string, unknown>>;

/** Treats an empty query parameter as missing. */
const EmptyIsMissing = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (value === '' || value === null ? undefined : value));

/** A property that may be missing. */
export const Optional = (): PropertyDecorator => all(EmptyIsMissing(), IsOptional());

/** One word of a list; the error shows the list. */
export const OneOf = (values: readonly string[]): PropertyDecorator =>
  IsIn(values, { message: ({ property }) => `${property} must be ${listed(values)}`, context: { allowed: values } });

/** A list of some of these words. */
export const OneOfEach = (values: readonly string[]): PropertyDecorator =>
  all(
    IsIn(values, {
      each: true,
      message: ({ property }) => `each of ${property} must be ${listed(values)}`,
      context: { allowed: values },
    }),
    ArrayNotEmpty({ message: ({ property }) => `${property} must be a list of ${listed(values)}` }),
  );

/**
 * A network on which we can check payments. A known network that we cannot check is an error of its own and comes
 * before errors in addresses, because addresses have that network's format.
 */
export const ReadNetwork = (values: readonly string[]): PropertyDecorator => {
  const named = (stated: unknown) =>
    typeof stated === 'string' ? networkById(caip2OfV1Name(stated) ?? canonicalNetworkId(stated)) : undefined;
  const validator = {
    validate: (stated: unknown) => named(stated)?.caip2.startsWith('eip155:') ?? true,
    defaultMessage: ({ value, property }: ValidationArguments) =>
      `${property} must be ${listed(values)}: we cannot check payments on ${named(value)?.name ?? 'this network'}`,
  };
  const context = { code: 'unsupported_network', allowed: values };
  return all(ValidateBy({ name: 'readNetwork', validator }, { context }), OneOf(values));
};

/** The maximum number of entries on a page of a list. */
const MAX_PAGE = 50;

/** The error for a wrong list cursor. */
export const BAD_CURSOR = 'cursor must be the nextCursor of the previous page';

/** A whole number in a range. In a query, it arrives as text. */
const WholeNumber = (description: string, least: number, most: number): PropertyDecorator =>
  all(
    Described(description, { type: 'integer', minimum: least, maximum: most }),
    Optional(),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
    ),
    ValidateBy({
      name: 'wholeNumber',
      validator: {
        validate: (value: unknown) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
        defaultMessage: ({ property } = {} as ValidationArguments) =>
          `${property} must be a whole number from ${least} to ${most}`,
      },
    }),
  );

/** The parameters of every list (behaviour 1.7). The answer has `nextCursor` if there is another page. */
export class PageInput {
  @WholeNumber('Maximum number of entries per page.', 1, MAX_PAGE)
  limit = 20;

  @Described('`nextCursor` of the previous page.')
  @Optional()
  @IsString({ message: BAD_CURSOR })
  @MaxLength(253, { message: BAD_CURSOR })
  cursor?: string;
}

function listed(values: readonly string[]): string {
  return values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ');
}

/**
 * Parses a property into the type that handlers use.
 * @param read returns a sentence for invalid input, and accepts its own output
 * @param context additions to the error; `code` replaces the default code
 */
function Read(read: (raw: unknown, member: string) => Reading<unknown>, context: object = {}): PropertyDecorator {
  const validator = {
    validate: (value: unknown) => 'value' in read(value, ''),
    defaultMessage: ({ value, property }: ValidationArguments) => {
      const reading = read(value, property);
      return 'fault' in reading ? reading.fault : '';
    },
  } as ValidatorConstraintInterface;
  return all(
    Transform(({ value, key }: { value: unknown; key: string }) => {
      const reading = read(value, key);
      return 'value' in reading ? reading.value : value;
    }),
    ValidateBy({ name: 'read', validator }, { context }),
  );
}

/** The schema of a host name. */
export const DOMAIN_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: 2_048,
  description: 'Public host name, for example shop.example.com. A scheme, port, path and leading www. are dropped.',
} as const;

/** The name of a public host; the property holds a {@link HostName}. */
export const Domain = (): PropertyDecorator =>
  all(JSONSchema(DOMAIN_SCHEMA), Read(readHost, { code: 'invalid_domain' }));

/** Arguments about one host. */
export class HostInput {
  @Domain()
  domain!: HostName;
}

/** Text with a description, and optional further schema keywords. */
export const Text = (description: string, schema: object = {}): PropertyDecorator =>
  all(Described(description, schema), IsString());

/** The id of a detector, in any case; the property holds a `DetectorId`. */
export const Protocol = (): PropertyDecorator =>
  all(
    Described('Detector id.', { type: 'string', enum: DETECTOR_IDS }),
    Read(readProtocol, { code: 'unknown_protocol', allowed: DETECTOR_IDS }),
  );

/** An EVM address; the property holds it with its EIP-55 checksum. */
export const EvmAddress = (description: string): PropertyDecorator =>
  all(
    Described(description, { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' }),
    Read((raw, member) => {
      const address = typeof raw === 'string' ? raw.trim() : '';
      if (!isEvmAddress(address)) return { fault: `${member} must be 0x and 40 hex digits` };
      if (checksumHolds(address)) return { value: checksummed(address) };
      return { fault: `${member} has mixed case and a wrong EIP-55 checksum: correct it, or send it in lower case` };
    }),
  );

/** The name of the {@link ExactlyOneOf} rule, which a missing property can also break. */
export const ONE_OF_TWO = 'exactlyOneOf';

/** Requires exactly one of two properties. Put it on the first one, in place of {@link Optional}. */
export const ExactlyOneOf = (first: string, second: string): PropertyDecorator =>
  all(
    EmptyIsMissing(),
    ValidateIf((input: Members) => input[first] !== undefined || input[second] === undefined),
    ValidateBy({
      name: ONE_OF_TWO,
      validator: {
        validate: (_value: unknown, args?: ValidationArguments) => {
          const members = (args?.object ?? {}) as Members;
          return (members[first] === undefined) !== (members[second] === undefined);
        },
        defaultMessage: () => `send exactly one of ${first} and ${second}`,
      },
    }),
  );
