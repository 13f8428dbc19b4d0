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

/** Members have names here, never symbols. */
type MemberDecorator = (target: object, member: string) => void;

/** Decorators of one member, as one; the first is applied first. */
function all(...decorators: readonly MemberDecorator[]): PropertyDecorator {
  return (target, member) => {
    for (const decorate of decorators) decorate(target, String(member));
  };
}

/** A member with a sentence about it, and whatever else its schema says. */
export const Described = (description: string, schema: object = {}): PropertyDecorator =>
  all(JSONSchema({ description, ...schema }));

type Members = Readonly<Record<string, unknown>>;

/** An empty query parameter is one that was not given. */
const EmptyIsMissing = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (value === '' || value === null ? undefined : value));

/** A member that may be missing. */
export const Optional = (): PropertyDecorator => all(EmptyIsMissing(), IsOptional());

/** One of a list of words; an error lists them. */
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
 * A network that payments are read on. A known one of another kind is an error of its own, before what is wrong with the
 * accounts of the request: they have the form of that network.
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

/** Maximum number of entries on a page of a list. */
const MAX_PAGE = 50;

/** The cursor of a list is wrong. */
export const BAD_CURSOR = 'cursor must be the nextCursor of the previous page';

/** A whole number in that range. A number in a query is text. */
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

/** What every list takes (behaviour 1.7); the answer has `nextCursor` when there is another page. */
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
 * Reads a member into what handlers work with.
 * @param read gives a sentence for what it cannot take, and takes what it gave before
 * @param context what an error says beside the sentence, `code` in the place of its own code
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

/** What schemas say of a host name. */
export const DOMAIN_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: 2_048,
  description: 'Public host name, for example shop.example.com. A scheme, port, path and leading www. are dropped.',
} as const;

/** The name of a public host; the member holds a {@link HostName}. */
export const Domain = (): PropertyDecorator => all(JSONSchema(DOMAIN_SCHEMA), Read(readHost));

/** What is about one host. */
export class HostInput {
  @Domain()
  domain!: HostName;
}

/** Text with a sentence about it, and whatever else its schema says. */
export const Text = (description: string, schema: object = {}): PropertyDecorator =>
  all(Described(description, schema), IsString());

/** The id of a detector, in any case; the member holds a `DetectorId`. */
export const Protocol = (): PropertyDecorator =>
  all(
    Described('Detector id.', { type: 'string', enum: DETECTOR_IDS }),
    Read(readProtocol, { code: 'unknown_protocol', allowed: DETECTOR_IDS }),
  );

/** An EVM address; the member holds it with its EIP-55 checksum. */
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

/** The rule of {@link ExactlyOneOf}, which is also broken by what is missing. */
export const ONE_OF_TWO = 'exactlyOneOf';

/** Of two members exactly one is given; put it on the first, in the place of {@link Optional}. */
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
