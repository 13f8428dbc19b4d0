import fc from 'fast-check';
import { INVISIBLE } from '@app/detectors';
import { CommandError, EXIT } from '../terminal/exit-codes';
import { lookupHost, probeHost } from './host-tools';
import { argumentsOf, failureOf, type LocalTool } from './local-tool';
import { checkBeforePaying } from './payment-tool';
import { verifyStatementTool } from './statement-tool';

const never = (): Promise<never> => Promise.reject(new CommandError(EXIT.serviceUnavailable, 'nothing is asked here'));
const TOOLS: readonly LocalTool[] = [
  probeHost(never, () => undefined),
  checkBeforePaying({ decide: never }),
  verifyStatementTool(never),
  lookupHost(never),
];

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  fc.constantFrom('__proto__', 'constructor', ''),
);
const names = fc.oneof(anyText, fc.constantFrom('domain', 'url', 'requirement', 'statement', 'resource'));
const anyArguments = fc.oneof(
  fc.dictionary(names, fc.oneof(anyText, fc.webUrl(), fc.domain(), fc.jsonValue()), { maxKeys: 4 }),
  fc.jsonValue(),
);

describe('the tools of an agent', () => {
  it('answer any call with one short sentence', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...TOOLS), anyArguments, async (tool, args) => {
        const failure = await Promise.resolve()
          .then(() => tool.run(argumentsOf(tool, args)))
          .then(() => undefined, failureOf);
        expect(failure).toEqual({
          error: expect.any(String),
          code: expect.stringMatching(/^(?:invalid_|service_unavailable)/),
        });
        expect(failure?.error).toMatch(/^.{10,700}$/);
        expect(failure?.error.replace(INVISIBLE, '')).toBe(failure?.error);
        expect(failure?.error).not.toMatch(/Invalid input|expected \w+, received/);
      }),
      { numRuns: 150 },
    );
  });

  it('name the invalid argument and its format', () => {
    const sentence = (tool: LocalTool, args: unknown): string => {
      try {
        argumentsOf(tool, args);
        return 'taken';
      } catch (error) {
        return failureOf(error).error;
      }
    };
    expect(sentence(TOOLS[0]!, {})).toBe('domain must be the name of a public host, such as shop.example.com');
    expect(sentence(TOOLS[0]!, { domain: 'a.example', deep: 1 })).toBe(
      'unknown argument deep; the arguments are domain',
    );
    expect(sentence(TOOLS[1]!, { url: 'ftp://a.example/', requirement: {} })).toBe(
      'url must be the URL that answered 402, after redirects',
    );
  });

  it('hide the message of a bug in this program', () => {
    expect(failureOf(new Error('/home/me/secret'))).toEqual({
      error: 'hostprobe failed; see its log',
      code: 'fault',
    });
  });
});
